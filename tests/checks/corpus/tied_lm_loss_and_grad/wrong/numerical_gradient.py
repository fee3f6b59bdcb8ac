# mistake: a finite-difference gradient: right to about 1e-5 only
# accept: finite; numerical; precision; approximat; difference quotient; small error; nearly; accura; close
import numpy as np


def loss_of(E, A, idx, targets):
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    Z = Z - Z.max(1, keepdims=True)
    return float(np.mean(np.log(np.exp(Z).sum(1)) - Z[np.arange(len(idx)), targets]))


def tied_lm_loss_and_grad(E, A, idx, targets):
    E = np.array(E, dtype=float)
    step = 1e-4
    dE = np.zeros_like(E)
    base = loss_of(E, A, idx, targets)
    for i in range(E.shape[0]):
        for j in range(E.shape[1]):
            E[i, j] += step
            dE[i, j] = (loss_of(E, A, idx, targets) - base) / step
            E[i, j] -= step
    return base, dE
