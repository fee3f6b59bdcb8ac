# mistake: a set of seen ids: later tokens with a known id add nothing
# accept: repeat; same id; occurs twice; occurs more than once; more than once; np.add.at; add.at; duplicate; first occurrence; first time
import math

import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    """One token at a time, loops are allowed here."""
    dE = np.zeros(E.shape)
    total = 0.0
    n = len(idx)
    seen = set()
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
        dx = A @ (dh * (1.0 - h ** 2))
        if i not in seen:
            dE[i] += dx / n
        seen.add(i)
    return total / n, dE
