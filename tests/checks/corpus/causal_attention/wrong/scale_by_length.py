# mistake: divides by √T
# accept: √T; length; number of positions; number of tokens; root of T
import numpy as np


def row_softmax(z):
    z = z - np.max(z, -1, keepdims=True)
    z = np.exp(z)
    return z / np.sum(z, -1, keepdims=True)


def causal_attention(Q, K, V):
    t = np.arange(Q.shape[-2])
    scores = np.matmul(Q, np.moveaxis(K, -1, -2)) / Q.shape[-2] ** 0.5
    scores = np.where(t[None, :] > t[:, None], np.finfo(float).min, scores)
    return np.matmul(row_softmax(scores), V)
