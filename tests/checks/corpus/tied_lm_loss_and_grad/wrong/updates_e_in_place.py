# mistake: also takes a gradient step on E in place
# accept: in place; mutat; changes; changed; modif; input; altered; overwrit; update; step
# shows: mutation
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    Xs = E[idx]
    act = np.tanh(Xs @ A)
    Z = act @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    nll = -lp[np.arange(n), targets].mean()

    gZ = np.exp(lp)
    gZ[np.arange(n), targets] -= 1
    gZ /= n
    dE = gZ.T @ act
    gH = gZ @ E
    gX = (gH * (1 - act**2)) @ A.T
    np.add.at(dE, idx, gX)
    E -= 0.1 * dE
    return float(nll), dE
