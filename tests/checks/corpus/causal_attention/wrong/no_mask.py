# mistake: no mask
# accept: no mask; no causal mask; without a mask; without the mask; mask is missing; missing mask; not masked; unmasked; every position sees; sees the future; all positions; bidirectional; reads the future
import numpy as np


def causal_attention(Q, K, V):
    sel = (Q / np.sqrt(Q.shape[-1])) @ np.swapaxes(K, -2, -1)

    m = sel.max(-1, keepdims=True)
    logZ = m + np.log(np.exp(sel - m).sum(-1, keepdims=True))
    return np.exp(sel - logZ) @ V
