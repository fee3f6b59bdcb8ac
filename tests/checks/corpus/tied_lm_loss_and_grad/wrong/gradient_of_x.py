# mistake: returns the gradient of X (n, d) without scattering it back to the table
# accept: shape; of x; scatter; (n, d); rows of x; table
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    N, V = len(idx), len(E)
    hid = np.tanh(np.matmul(E[idx], A))
    L = np.matmul(hid, E.T)
    L = L - L.max(-1)[:, np.newaxis]
    logq = L - np.log(np.exp(L).sum(-1))[:, np.newaxis]
    L_mean = np.mean(-logq[np.arange(N), targets])
    delta = np.exp(logq)
    delta[np.arange(N), targets] -= 1
    delta = delta / N
    gback = np.matmul(np.matmul(delta, E) * (1 - hid**2), A.T)
    return L_mean, gback
