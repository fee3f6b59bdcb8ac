# mistake: not scaled, softmax over the queries
# accept: not divided; not scaled; no scale; unscaled; scale is missing; without & √d_k; without & scale; missing & √d_k; √d_k & left out; never divided; √d_k & not
# accept: axis; over the queries; queries; column
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2)
    S = np.where(np.tril(np.ones((T, T), dtype=bool)), S, -np.inf)
    S = np.exp(S - S.max(axis=-2, keepdims=True))
    W = S / S.sum(axis=-2, keepdims=True)
    return W @ V
