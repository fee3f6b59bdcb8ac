# mistake: one maximum for all rows
# accept: maximum; underflow; each row; row's; own row; max; stab
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    S = np.where(np.triu(np.ones((T, T), bool), k=1), -np.inf, S)
    S = S - S.max()
    W = np.exp(S)
    W = W / W.sum(axis=-1, keepdims=True)
    return W @ V
