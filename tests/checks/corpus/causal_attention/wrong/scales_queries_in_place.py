# mistake: Q is divided in place
# accept: in place; mutat; changes; changed; modif; input; altered; overwrit
# shows: mutation
import numpy as np


def causal_attention(Q, K, V):
    Q /= np.sqrt(Q.shape[-1])
    S = Q @ np.swapaxes(K, -1, -2)
    T = S.shape[-1]
    S = S + np.where(np.arange(T)[:, None] < np.arange(T), -np.inf, 0)
    S = np.exp(S - S.max(-1, keepdims=True))
    return S / S.sum(-1, keepdims=True) @ V
