# mistake: returns the attention weights, not the mixed values
# accept: weights; shape; values; (T, T); mix
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    s = np.where(np.tril(np.ones((T, T), dtype=bool)), s, -np.inf)
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    return w
