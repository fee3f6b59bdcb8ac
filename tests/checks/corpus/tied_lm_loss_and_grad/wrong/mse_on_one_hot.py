# mistake: squared error between softmax and one-hot instead of cross-entropy
# accept: squared; cross entropy; mse; mean square; -log; square
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n, V = len(idx), E.shape[0]
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    P = np.exp(Z - Z.max(1, keepdims=True))
    P /= P.sum(1, keepdims=True)
    Y = np.eye(V)[targets]
    loss = ((P - Y) ** 2).sum(1).mean()
    dP = 2 * (P - Y) / n
    dZ = P * (dP - (dP * P).sum(1, keepdims=True))
    dE = dZ.T @ H
    np.add.at(dE, idx, (dZ @ E * (1 - H * H)) @ A.T)
    return float(loss), dE
