# mistake: the gradient misses the 1/n of the mean
# accept: 1/n; divided by n; mean; factor n; n times; averag; not divided
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    X = E[idx]
    hid = np.tanh(X @ A)
    scores = hid @ E.T
    scores = scores - scores.max(axis=1, keepdims=True)
    lp = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    ce = -lp[np.arange(n), targets].mean()

    grad = np.exp(lp)
    grad[np.arange(n), targets] -= 1

    dE = grad.T @ hid                       # head
    dhid = grad @ E
    dX = (dhid * (1 - hid**2)) @ A.T
    np.add.at(dE, idx, dX)              # lookup
    return float(ce), dE
