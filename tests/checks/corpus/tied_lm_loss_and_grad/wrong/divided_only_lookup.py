# mistake: 1/n only on the loss and the lookup path, the head path is not divided
# accept: 1/n; head; divided by n; one path; mean
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    E = np.asarray(E, dtype=float)
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    norm = np.logaddexp.reduce(Z, axis=1)
    t = np.arange(Z.shape[0])
    loss = (norm - Z[t, targets]).mean()
    R = np.exp(Z - norm[:, None])
    # target rows of the head gradient are subtracted separately
    dE = R.T @ H
    np.subtract.at(dE, targets, H)
    back = R @ E - E[targets]
    np.add.at(dE, idx, (back * (1 - H**2)) @ A.T / len(t))
    return loss, dE
