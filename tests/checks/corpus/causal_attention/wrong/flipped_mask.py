# mistake: masks the past instead of the future
# accept: upside down; flipped; reversed; inverted; triangle; upper; the past; transposed; wrong way round; mirrored; only the future
import numpy as np


def softmax(z):
    z = z - np.max(z, -1, keepdims=True)
    z = np.exp(z)
    return z / np.sum(z, -1, keepdims=True)


def causal_attention(Q, K, V):
    t = np.arange(Q.shape[-2])
    scores = np.matmul(Q, np.moveaxis(K, -1, -2)) / Q.shape[-1] ** 0.5
    scores = np.where(t[None, :] < t[:, None], np.finfo(float).min, scores)
    return np.matmul(softmax(scores), V)
