# mistake: dZ is the softmax itself, the one-hot target is not subtracted
# accept: one hot; onehot; target; - 1; subtract; softmax itself; minus one; p - y
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

    D *= 1 / len(targets)
    dX = ((D @ E) * (1 - H) * (1 + H)) @ A.T
    order = np.argsort(idx, kind="stable")
    ids, first = np.unique(idx[order], return_index=True)
    dE = D.T @ H
    dE[ids] += np.add.reduceat(dX[order], first, axis=0)
    return loss.item(), dE
