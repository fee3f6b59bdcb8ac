# mistake: divided by d_k, one later position visible
# accept: divided by d_k; by d_k; root is missing; without the root; d_k instead of √d_k; not √d_k; no root
# accept: one position; next position; one ahead; one too; off by one; k=1; one step; one later; one place; next token; one token
import numpy as np


def causal_attention(Q, K, V):
    T, d_k = Q.shape[-2:]
    S = Q @ np.swapaxes(K, -1, -2) / d_k
    S = np.where(np.tril(np.ones((T, T), dtype=bool), 1), S, -np.inf)
    S = np.exp(S - S.max(axis=-1, keepdims=True))
    W = S / S.sum(axis=-1, keepdims=True)
    return W @ V
