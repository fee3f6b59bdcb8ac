# mistake: fills with -20, too weak at large scores
# accept: -20; −20; weak; finite; leak; not low enough; not small enough; fill; not -inf; instead of -inf; instead of −inf
import numpy as np


def soft_max(z):
    z = z - np.max(z, -1, keepdims=True)
    z = np.exp(z)
    return z / np.sum(z, -1, keepdims=True)


def causal_attention(Q, K, V):
    t = np.arange(Q.shape[-2])
    scores = np.matmul(Q, np.moveaxis(K, -1, -2)) / Q.shape[-1] ** 0.5
    scores = np.where(t[None, :] > t[:, None], -20.0, scores)
    return np.matmul(soft_max(scores), V)
