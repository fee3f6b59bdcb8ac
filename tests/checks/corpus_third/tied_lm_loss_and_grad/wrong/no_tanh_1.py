# mistake: derivative of tanh missing
# accept: tanh; 1 - H²; 1 - h²
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
    dE = dZ.T @ H
    dH = dZ @ E
    dX = dH @ A.T
    np.add.at(dE, idx, dX)
    return loss, dE
