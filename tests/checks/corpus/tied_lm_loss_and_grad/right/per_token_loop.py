# straightforward chain rule, one token at a time (allowed here)
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    loss = 0.0
    dE = np.zeros(E.shape)
    for t in range(n):
        i, y = idx[t], targets[t]
        h = np.tanh(E[i] @ A)
        z = E @ h
        z = z - z.max()
        total = np.exp(z).sum()
        loss += (np.log(total) - z[y]) / n
        g = np.exp(z) / total
        g[y] -= 1
        g /= n
        dE += np.outer(g, h)
        dE[i] += A @ ((E.T @ g) * (1 - h * h))
    return loss, dE
