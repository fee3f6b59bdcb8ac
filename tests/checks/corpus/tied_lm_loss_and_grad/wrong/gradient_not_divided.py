# mistake: the gradient misses the 1/n of the mean
# accept: 1/n; divided by n; mean; factor n; n times; n; averag; not divided
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -lp[np.arange(n), targets].mean()

    grad = np.exp(lp)
    grad[np.arange(n), targets] -= 1

    dE = grad.T @ H                       # head
    dH = grad @ E
    dX = (dH * (1 - H**2)) @ A.T
    np.add.at(dE, idx, dX)              # lookup
    return float(loss), dE
