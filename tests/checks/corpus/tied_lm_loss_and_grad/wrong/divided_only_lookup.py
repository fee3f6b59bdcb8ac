# mistake: 1/n only on the loss and the lookup path, the head path is not divided
# accept: 1/n; head$; divided by n; one path; mean
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    E = np.asarray(E, dtype=float)
    H = np.tanh(E[idx] @ A)
    scores = H @ E.T
    LayerNorm_ = np.logaddexp.reduce(scores, axis=1)
    t = np.arange(scores.shape[0])
    loss = (LayerNorm_ - scores[t, targets]).mean()
    R = np.exp(scores - LayerNorm_[:, None])
    dE = R.T @ H
    np.subtract.at(dE, targets, H)
    gback = R @ E - E[targets]
    np.add.at(dE, idx, (gback * (1 - H**2)) @ A.T / len(t))
    return loss, dE
