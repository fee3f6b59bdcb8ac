# mistake: the diagonal is masked as well
# accept: itself; diagonal; own position; strict; NaN & row; row 0
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    S = np.where(np.triu(np.ones((T, T), bool), k=0), -np.inf, S)
    S = S - S.max(axis=-1, keepdims=True)
    W = np.exp(S)
    W = W / W.sum(axis=-1, keepdims=True)
    return W @ V
