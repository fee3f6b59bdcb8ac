# mistake: K Qᵀ instead of Q Kᵀ
# accept: transposed; k qᵀ; kqᵀ; swap; exchang; q and k; keys & queries; query and key; rows and columns
import numpy as np


def causal_attention(Q, K, V):
    n = Q.shape[-2]
    dots = np.einsum('...sk,...qk->...qs', Q, K) * Q.shape[-1] ** -0.5
    dots = dots + np.triu(np.full((n, n), -np.inf), 1)
    top = np.max(dots, axis=-1)[..., None]
    e = np.exp(dots - top)
    return np.einsum('...qs,...sv->...qv', e, V) / e.sum(-1)[..., None]
