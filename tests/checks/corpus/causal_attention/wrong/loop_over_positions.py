# mistake: right values, but a loop runs over the positions
# accept: loop; vectoris
# shows: loop
import numpy as np


def causal_attention(Q, K, V):
    out = np.zeros(V.shape)
    for t in range(Q.shape[-2]):
        q = Q[..., t, :]
        s = (K[..., : t + 1, :] * q[..., None, :]).sum(-1) / np.sqrt(q.shape[-1])
        a = np.exp(s - s.max(-1, keepdims=True))
        a = a / a.sum(-1, keepdims=True)
        out[..., t, :] = (a[..., None] * V[..., : t + 1, :]).sum(-2)
    return out
