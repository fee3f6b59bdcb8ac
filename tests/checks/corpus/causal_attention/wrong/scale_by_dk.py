# mistake: divides by d_k without the root
# accept: by d_k; 1/d_k; root; twice
import numpy as np


def causal_attention(Q, K, V):
    n = Q.shape[-2]
    sims = np.einsum("...qk,...sk->...qs", Q, K) * Q.shape[-1] ** -1.0
    sims = sims + np.triu(np.full((n, n), -np.inf), 1)
    top = np.max(sims, axis=-1)[..., None]
    e = np.exp(sims - top)
    return np.einsum("...qs,...sv->...qv", e, V) / e.sum(-1)[..., None]
