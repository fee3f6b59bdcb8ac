# mistake: takes the first occurrence of each id only
# accept: repeat; duplicate; first occurrence; more than once; several times; unique
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    top = np.amax(Z, axis=1, keepdims=True)
    W = np.exp(Z - top)
    S = W.sum(axis=1, keepdims=True)
    rows = np.arange(len(targets))
    loss = np.average(np.log(S[:, 0]) + top[:, 0] - Z[rows, targets])
    D = W / S
    D[rows, targets] -= 1
    D *= 1 / len(targets)
    dX = ((D @ E) * (1 - H) * (1 + H)) @ A.T
    ids, first = np.unique(idx, return_index=True)
    dE = D.T @ H
    dE[ids] += dX[first]
    return loss.item(), dE
