# mistake: two: repeated ids are lost by +=, and 1/n is missing in the gradient
# accept: repeat; duplicate; add.at; more than once; +=; several times
# accept: 1/n; divided by n; mean; averag; n times
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

    dX = ((D @ E) * (1 - H) * (1 + H)) @ A.T
    dE = D.T @ H
    dE[idx] += dX
    return loss.item(), dE
