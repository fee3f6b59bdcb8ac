# mistake: the derivative of tanh is missing; and one-hot minus softmax: the gradient has the wrong sign
# accept: tanh; 1 - H; 1 − H; derivative; 1 - h²
# accept: sign; negative; minus; opposite; ascent; wrong direction
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
    G = -G / n
    dE = G.T @ H
    dH = G @ E
    dS = dH
    dX = dS @ A.T
    np.add.at(dE, idx, dX)
    return float(loss), dE
