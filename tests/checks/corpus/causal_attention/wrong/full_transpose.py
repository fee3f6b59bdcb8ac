# mistake: K.T reverses all axes, wrong or failing for more than two axes
# accept: .T; transpos; axes; swapaxes; batch; shape; leading; matmul; more than two; mismatch
import numpy as np


def causal_attention(Q, K, V):
    T = len(Q)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = np.where(np.tri(T) > 0, scores, -np.inf)
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return scores / scores.sum(1, keepdims=True) @ V
