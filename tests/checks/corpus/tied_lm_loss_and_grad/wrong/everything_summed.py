# mistake: loss and gradient are sums over the tokens, 1/n is missing in both
# accept: sum; mean; averag; n times; 1/n; divided by n
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
        loss += np.log(total) - z[y]
        g = np.exp(z) / total
        g[y] -= 1
        dE += np.outer(g, h)
        dE[i] += A @ ((E.T @ g) * (1 - h * h))
    return loss, dE
