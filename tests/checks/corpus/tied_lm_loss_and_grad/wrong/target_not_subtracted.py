# mistake: dZ is the softmax itself, the one-hot target is not subtracted
# accept: one hot; onehot; target; - 1; subtract; softmax itself; minus one; p - y
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    hid = np.tanh(E[idx] @ A)
    Z = hid @ E.T
    top = np.amax(Z, axis=1, keepdims=True)
    W = np.exp(Z - top)
    onehot_in = W.sum(axis=1, keepdims=True)
    rows = np.arange(len(targets))
    L_mean = np.average(np.log(onehot_in[:, 0]) + top[:, 0] - Z[rows, targets])
    D = W / onehot_in

    D *= 1 / len(targets)
    dinp = ((D @ E) * (1 - hid) * (1 + hid)) @ A.T
    order = np.argsort(idx, kind='stable')
    ids, first = np.unique(idx[order], return_index=True)
    dE = D.T @ hid
    dE[ids] += np.add.reduceat(dinp[order], first, axis=0)
    return L_mean.item(), dE
