# mistake: each position sees the next one
# accept: next token; next position; one position ahead; one ahead; off by one; diagonal; t + 1; one step; one too many; the next; t+1
import numpy as np


def causal_attention(Q, K, V):
    n = Q.shape[-2]
    scores = np.einsum("...qk,...sk->...qs", Q, K) * Q.shape[-1] ** -0.5
    scores = scores + np.triu(np.full((n, n), -np.inf), 2)
    top = np.max(scores, axis=-1)[..., None]
    e = np.exp(scores - top)
    return np.einsum("...qs,...sv->...qv", e, V) / e.sum(-1)[..., None]
