# mistake: no scale
# accept: not scaled; not divided; no scale; unscaled; missing & √d_k; without & √d_k; scale is missing; without the scale; scale & missing; without scaling
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2)
    S = np.where(np.triu(np.ones((T, T), bool), k=1), -np.inf, S)
    S = S - S.max(axis=-1, keepdims=True)
    W = np.exp(S)
    W = W / W.sum(axis=-1, keepdims=True)
    return W @ V
