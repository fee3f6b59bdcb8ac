# mistake: softmax over queries and masked scores 0
# accept: axis; over the queries; over queries; columns
# accept: zero; to 0; multipl; with 0; by 0; exp(0)
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    S = np.where(np.triu(np.ones((T, T), bool), k=1), 0.0, S)
    S = S - S.max(axis=-2, keepdims=True)
    W = np.exp(S)
    W = W / W.sum(axis=-2, keepdims=True)
    return W @ V
