# mistake: dE[idx] += dX keeps one of the rows of a repeated id; and back through A without the transpose
# accept: repeat; same id; occurs twice; occurs more than once; more than once; np.add.at; add.at; duplicate
# accept: transpos; Aᵀ; A.T; A & A
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    V, d = E.shape

    # forward
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    log_p = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -log_p[np.arange(n), targets].mean()

    # backward
    G = np.exp(log_p)
    G[np.arange(n), targets] -= 1
    G = G / n
    dE = G.T @ H
    dH = G @ E
    dS = dH * (1 - H ** 2)
    dX = dS @ A
    dE[idx] += dX
    return float(loss), dE
