# mistake: the scores are not scaled
# accept: not scaled; unscaled; no scal; without scal; without the scal; not divided; never divided; missing scal; scale is missing; scale missing; scaling is missing; without dividing; lacks; forgot; without 1/√d_k; no 1/√d_k
import numpy as np


def causal_attention(Q, K, V):
    t, d_k = Q.shape[-2:]
    s = Q @ np.swapaxes(K, -1, -2)
    s = np.where(np.tril(np.ones((t, t), dtype=bool)), s, -np.inf)
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    return w @ V
