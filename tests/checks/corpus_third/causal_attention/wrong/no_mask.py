# mistake: no mask
# accept: no mask; without & mask; mask is missing; no causal; not causal; unmasked; mask & missing; mask & left out; nothing is masked; attends to later; sees the future; all positions; every position
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    S = np.exp(S - S.max(axis=-1, keepdims=True))
    W = S / S.sum(axis=-1, keepdims=True)
    return W @ V
