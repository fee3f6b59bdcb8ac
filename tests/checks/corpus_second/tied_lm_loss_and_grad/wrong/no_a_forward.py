# mistake: A is left out of the forward pass and of the gradient
# accept: A & missing; A & left out; without A; A & not used; A & never; A & ignored; A & skip; A & forgot; X instead of X; A is not
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
        h = np.tanh(x)
        z = E @ h
        m = z.max()
        lse = m + math.log(np.exp(z - m).sum())
        total += lse - z[y]
        g = np.exp(z - lse)
        g[y] -= 1.0
        dE += np.outer(g, h) / n
        dh = E.T @ g
        dx = dh * (1.0 - h ** 2)
        dE[i] += dx / n
    return total / n, dE
