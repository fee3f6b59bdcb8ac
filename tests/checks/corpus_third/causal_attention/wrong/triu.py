# mistake: mask the wrong way round
# accept: upper; reversed; wrong way; flipped; transposed; future instead; wrong triangle; mirror; backward; wrong side; wrong direction; upside; inverted; only the future; past is
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    S = np.where(np.triu(np.ones((T, T), dtype=bool)), S, -np.inf)
    S = np.exp(S - S.max(axis=-1, keepdims=True))
    W = S / S.sum(axis=-1, keepdims=True)
    return W @ V
