# mistake: scaled by the root of T
# accept: √T; length & √
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(T)
    S = np.where(np.tril(np.ones((T, T), dtype=bool)), S, -np.inf)
    S = np.exp(S - S.max(axis=-1, keepdims=True))
    W = S / S.sum(axis=-1, keepdims=True)
    return W @ V
