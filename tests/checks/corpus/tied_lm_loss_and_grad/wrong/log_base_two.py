# mistake: loss in bits: log2
# accept: log2; base 2; bits; base two; ln 2; nats; natural log
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    log_probs = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -(log_probs[np.arange(n), targets] / np.log(2)).mean()

    dlogits = np.exp(log_probs)
    dlogits[np.arange(n), targets] -= 1
    dlogits /= n
    dE = dlogits.T @ H
    gH = dlogits @ E
    dinp = (gH * (1 - H**2)) @ A.T
    np.add.at(dE, idx, dinp)
    return float(loss), dE
