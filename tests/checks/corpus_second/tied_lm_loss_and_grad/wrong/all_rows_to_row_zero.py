# mistake: the lookup's gradient of every token goes to row 0
# accept: row 0; first row; id 0; wrong row; same row; one row
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
    dX = dS @ A.T
    np.add.at(dE, np.zeros_like(idx), dX)
    return float(loss), dE
