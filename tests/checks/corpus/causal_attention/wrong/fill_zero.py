# mistake: masked scores are set to 0
# accept: multipl; zero; set to 0; exp(0); score 0; fill; instead of -inf; instead of −inf; with 0; by 0
import numpy as np


def causal_attention(Q, K, V):
    n_tok, d_k = Q.shape[-2:]
    sc = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    sc = np.where(np.tril(np.ones((n_tok, n_tok), dtype=bool)), sc, 0)
    w = np.exp(sc - sc.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    return w @ V
