# mistake: transposes A once too often on the way back (A.T @ g where A @ g is meant)
# accept: aᵀ; a.t; transpos
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    nll = 0.0
    dE = np.zeros(E.shape)
    for t in range(n):
        i, ctx = idx[t], targets[t]
        h = np.tanh(E[i] @ A)
        z = E @ h
        z = z - z.max()
        total = np.exp(z).sum()
        nll += (np.log(total) - z[ctx]) / n
        g = np.exp(z) / total
        g[ctx] -= 1
        g /= n
        dE += np.outer(g, h)
        dE[i] += A.T @ ((E.T @ g) * (1 - h * h))
    return nll, dE
