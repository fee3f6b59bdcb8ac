# mistake: returns zeros of the right shape
# accept: zeros; all zero; constant; every entry; 0 everywhere; same everywhere; does not depend; nothing
import numpy as np


def gpt_logits(P, idx, n_head):
    # just to check the shape first, TODO: attention
    B, T = idx.shape
    V = P["wte"].shape[0]
    return np.zeros((B, T, V))
