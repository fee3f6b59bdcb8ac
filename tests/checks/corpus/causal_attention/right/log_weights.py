import numpy as np


def causal_attention(Q, K, V):
    S = (Q / np.sqrt(Q.shape[-1])) @ np.swapaxes(K, -2, -1)
    i, j = np.indices(S.shape[-2:])
    S[..., j > i] = -np.inf
    m = S.max(-1, keepdims=True)
    logZ = m + np.log(np.exp(S - m).sum(-1, keepdims=True))
    return np.exp(S - logZ) @ V
