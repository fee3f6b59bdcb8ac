# mistake: targets are shifted once more by one position
# accept: shift; targets & roll; off by one; next; one position; already; targets
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    targets = np.roll(targets, -1)
    Xs = E[idx]
    H = np.tanh(Xs @ A)
    lg = H @ E.T
    lg = lg - lg.max(axis=1, keepdims=True)
    lp = lg - np.log(np.exp(lg).sum(axis=1, keepdims=True))
    loss = -lp[np.arange(n), targets].mean()

    dlogits = np.exp(lp)
    dlogits[np.arange(n), targets] -= 1
    dlogits /= n
    dE = dlogits.T @ H
    dH = dlogits @ E
    dX = (dH * (1 - H**2)) @ A.T
    np.add.at(dE, idx, dX)
    return float(loss), dE
