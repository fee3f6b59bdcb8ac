# mistake: head's gradient divided by n twice
# accept: head & twice; head & n²; head & by n
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    V, d = E.shape
    # forward
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    logp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -logp[np.arange(n), targets].mean()
    # backward
    dZ = np.exp(logp)
    dZ[np.arange(n), targets] -= 1
    dZ = dZ / n
    dE = dZ.T @ H / n
    dH = dZ @ E
    dX = (dH * (1 - H**2)) @ A.T
    np.add.at(dE, idx, dX)
    return loss, dE
