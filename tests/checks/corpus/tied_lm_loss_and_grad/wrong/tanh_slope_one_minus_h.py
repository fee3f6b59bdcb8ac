# mistake: tanh' written as 1 - h instead of 1 - h²
# accept: 1 - h; tanh'; tanh′; derivative of tanh; tanh derivative; slope; 1 - h²; derivative of the tanh; squar; tanh & derivative; tanh & gradient
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    inp = E[idx]
    hid = np.tanh(inp @ A)
    scores = hid @ E.T
    scores = scores - scores.max(axis=1, keepdims=True)
    log_probs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    nll = -log_probs[np.arange(n), targets].mean()

    gZ = np.exp(log_probs)
    gZ[np.arange(n), targets] -= 1
    gZ /= n
    dE = gZ.T @ hid
    gH = gZ @ E
    dX = (gH * (1 - hid)) @ A.T
    np.add.at(dE, idx, dX)
    return float(nll), dE
