# mistake: the lookup's gradient goes to row t (the position) instead of row idx[t]; and the root of 1 - h² is taken
# accept: position; wrong row; row t; idx
# accept: tanh; 1 - H; 1 − H; derivative; 1 - h²
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
        dE += np.outer(g, h) / n
        dh = E.T @ g
        dx = A @ (dh * np.sqrt(1.0 - h ** 2))
        dE[t % len(E)] += dx / n
    return total / n, dE
