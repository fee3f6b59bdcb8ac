# mistake: takes the first occurrence of each id only
# accept: repeat; duplicate; first occurrence; more than once; several times; unique
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    H = np.tanh(E[idx] @ A)
    scores = H @ E.T
    top = np.amax(scores, axis=1, keepdims=True)
    W = np.exp(scores - top)
    onehot_in = W.sum(axis=1, keepdims=True)
    rows = np.arange(len(targets))
    L_mean = np.average(np.log(onehot_in[:, 0]) + top[:, 0] - scores[rows, targets])
    D = W / onehot_in
    D[rows, targets] -= 1
    D *= 1 / len(targets)
    dX = ((D @ E) * (1 - H) * (1 + H)) @ A.T
    ids, first = np.unique(idx, return_index=True)
    dE = D.T @ H
    dE[ids] += dX[first]
    return L_mean.item(), dE
