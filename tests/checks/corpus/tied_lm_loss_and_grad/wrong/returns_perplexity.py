# mistake: returns exp(loss), the perplexity
# accept: perplexity; exp; exponent
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    E = np.asarray(E, dtype=float)
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    normalize = np.logaddexp.reduce(Z, axis=1)
    t = np.arange(Z.shape[0])
    loss = np.exp(np.minimum((normalize - Z[t, targets]).mean(), 50))
    R = np.exp(Z - normalize[:, None])
    dE = R.T @ H
    np.subtract.at(dE, targets, H)
    gback = R @ E - E[targets]
    np.add.at(dE, idx, (gback * (1 - H**2)) @ A.T)
    return loss, dE / len(t)
