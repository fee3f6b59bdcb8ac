# mistake: dE[idx] += dX loses repeated ids
# accept: repeat; duplicate; several times; more than once; add.at; occurs twice; buffered; +=
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    Xs = E[idx]
    H = np.tanh(Xs @ A)
    logits = H @ E.T
    logits = logits - logits.max(axis=1, keepdims=True)
    lp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    loss = -lp[np.arange(n), targets].mean()

    dZ = np.exp(lp)
    dZ[np.arange(n), targets] -= 1
    dZ /= n
    dE = dZ.T @ H
    dH = dZ @ E
    dX = (dH * (1 - H**2)) @ A.T
    dE[idx] += dX
    return float(loss), dE
