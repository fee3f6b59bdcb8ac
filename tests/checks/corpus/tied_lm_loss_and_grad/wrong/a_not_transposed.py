# mistake: back through A instead of A transposed
# accept: aᵀ; a.t; transpos; a'
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    R = E[idx]
    hid = np.tanh(R @ A)
    lg = hid @ E.T
    lg = lg - lg.max(axis=1, keepdims=True)
    lp = lg - np.log(np.exp(lg).sum(axis=1, keepdims=True))
    nll = -lp[np.arange(n), targets].mean()

    dZ = np.exp(lp)
    dZ[np.arange(n), targets] -= 1
    dZ /= n
    dE = dZ.T @ hid
    gH = dZ @ E
    dinp = (gH * (1 - hid**2)) @ A
    np.add.at(dE, idx, dinp)
    return float(nll), dE
