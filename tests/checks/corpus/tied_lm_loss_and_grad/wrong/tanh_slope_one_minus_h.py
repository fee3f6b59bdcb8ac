# mistake: tanh' written as 1 - h instead of 1 - h²
# accept: 1 - h; tanh'; tanh′; derivative of tanh; tanh derivative; slope; 1 - h²; derivative of the tanh; squar; tanh & derivative; tanh & gradient
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    inp = E[idx]
    hid = np.tanh(inp @ A)
    Z = hid @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    logp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -logp[np.arange(n), targets].mean()

    dZ = np.exp(logp)
    dZ[np.arange(n), targets] -= 1
    dZ /= n
    dE = dZ.T @ hid                       # head
    dH = dZ @ E
    dX = (dH * (1 - hid)) @ A.T
    np.add.at(dE, idx, dX)              # lookup
    return float(loss), dE
