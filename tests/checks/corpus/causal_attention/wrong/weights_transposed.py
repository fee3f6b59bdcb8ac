# mistake: the weights are transposed before they mix the values
# accept: transpos; columns; wrong way; aᵀ
import numpy as np


def causal_attention(Q, K, V):
    keep = np.tri(Q.shape[-2])
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    top = np.max(S, axis=-1, keepdims=True, where=keep.astype(bool), initial=-np.inf)
    W = keep * np.exp(np.minimum(S - top, 0))
    return np.swapaxes(W / W.sum(-1, keepdims=True), -1, -2) @ V
