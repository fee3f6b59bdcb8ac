# mistake: tanh is forgotten in the forward pass
# accept: tanh
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    E = np.asarray(E, dtype=float)
    Hd = E[idx] @ A
    Z = Hd @ E.T
    LayerNorm_ = np.logaddexp.reduce(Z, axis=1)
    t = np.arange(Z.shape[0])
    loss = (LayerNorm_ - Z[t, targets]).mean()
    R = np.exp(Z - LayerNorm_[:, None])
    # target rows of the head gradient are subtracted separately
    dE = R.T @ Hd
    np.subtract.at(dE, targets, Hd)
    gback = R @ E - E[targets]
    np.add.at(dE, idx, gback @ A.T)
    return loss, dE / len(t)
