# mistake: tanh is forgotten in the forward pass
# accept: tanh
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    E = np.asarray(E, dtype=float)
    H = E[idx] @ A
    Z = H @ E.T
    norm = np.logaddexp.reduce(Z, axis=1)
    t = np.arange(Z.shape[0])
    loss = (norm - Z[t, targets]).mean()
    R = np.exp(Z - norm[:, None])
    # target rows of the head gradient are subtracted separately
    dE = R.T @ H
    np.subtract.at(dE, targets, H)
    back = R @ E - E[targets]
    np.add.at(dE, idx, back @ A.T)
    return loss, dE / len(t)
