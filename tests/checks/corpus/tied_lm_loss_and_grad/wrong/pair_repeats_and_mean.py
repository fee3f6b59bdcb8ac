# mistake: two: repeated ids are lost by +=, and 1/n is missing in the gradient
# accept: repeat; duplicate; add.at; more than once; +=; several times
# accept: 1/n; divided by n; mean; averag; n times
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    hid = np.tanh(E[idx] @ A)
    lg = hid @ E.T
    top = np.amax(lg, axis=1, keepdims=True)
    W = np.exp(lg - top)
    S = W.sum(axis=1, keepdims=True)
    rows = np.arange(len(targets))
    loss = np.average(np.log(S[:, 0]) + top[:, 0] - lg[rows, targets])
    D = W / S
    D[rows, targets] -= 1

    dinp = ((D @ E) * (1 - hid) * (1 + hid)) @ A.T
    dE = D.T @ hid
    dE[idx] += dinp
    return loss.item(), dE
