# mistake: also takes a gradient step on E in place
# accept: in place; mutat; changes; changed; modif; input; altered; overwrit; update; step
# shows: mutation
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    logp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -logp[np.arange(n), targets].mean()

    dZ = np.exp(logp)
    dZ[np.arange(n), targets] -= 1
    dZ /= n
    dE = dZ.T @ H                       # head
    dH = dZ @ E
    dX = (dH * (1 - H**2)) @ A.T
    np.add.at(dE, idx, dX)              # lookup
    E -= 0.1 * dE                       # SGD step
    return float(loss), dE
