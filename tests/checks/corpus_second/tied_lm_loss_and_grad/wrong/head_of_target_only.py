# mistake: the head's path is taken for the target's row only
# accept: target; other rows; all rows; every row; one row
import math

import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    """One token at a time, loops are allowed here."""
    dE = np.zeros(E.shape)
    total = 0.0
    n = len(idx)
    for t in range(n):
        i, y = int(idx[t]), int(targets[t])
        x = E[i]
        h = np.tanh(x @ A)
        z = E @ h
        m = z.max()
        lse = m + math.log(np.exp(z - m).sum())
        total += lse - z[y]
        g = np.exp(z - lse)
        g[y] -= 1.0
        dE[y] += g[y] * h / n
        dh = E.T @ g
        dx = A @ (dh * (1.0 - h ** 2))
        dE[i] += dx / n
    return total / n, dE
