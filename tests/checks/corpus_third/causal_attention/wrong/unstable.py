# mistake: softmax without the maximum
# accept: overflow; stable; stability; unstable; max; large scores
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    S = np.where(np.tril(np.ones((T, T), dtype=bool)), S, -np.inf)
    S = np.exp(S)
    W = S / S.sum(axis=-1, keepdims=True)
    return W @ V
