# mistake: returns the gradient of X (n, d) without scattering it back to the table
# accept: shape; of x; scatter; (n, d); rows of x; table
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    N, V = len(idx), len(E)
    H = np.tanh(np.matmul(E[idx], A))
    L = np.matmul(H, E.T)
    L = L - L.max(-1)[:, np.newaxis]
    logq = L - np.log(np.exp(L).sum(-1))[:, np.newaxis]
    loss = np.mean(-logq[np.arange(N), targets])
    G = np.exp(logq)
    G[np.arange(N), targets] -= 1
    G = G / N
    back = np.matmul(np.matmul(G, E) * (1 - H**2), A.T)
    return loss, back
