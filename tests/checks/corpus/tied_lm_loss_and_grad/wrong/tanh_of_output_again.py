# mistake: applies tanh once more: 1 - tanh(h)²
# accept: tanh'; tanh′; derivative of tanh; tanh derivative; slope; twice; tanh(h); again; second tanh; derivative of the tanh; tanh & derivative; 1 - h²; tanh & gradient
import numpy as np


def softmax_xent(Z, y):
    n = Z.shape[0]
    Zs = Z - np.max(Z, axis=1, keepdims=True)
    lse = np.log(np.sum(np.exp(Zs), axis=1, keepdims=True))
    ll = (Zs - lse)[np.arange(n), y]
    grad = np.exp(Zs - lse)
    grad[np.arange(n), y] += -1
    return -np.sum(ll) / n, grad / n


def tied_lm_loss_and_grad(E, A, idx, targets):
    pre = E[idx] @ A
    act = np.tanh(pre)
    loss, gZ = softmax_xent(act @ E.T, targets)
    slope = 1 - np.tanh(act) ** 2
    gX = np.dot(np.dot(gZ, E) * slope, np.transpose(A))
    total = np.dot(np.transpose(gZ), act)
    np.add.at(total, (idx, slice(None)), gX)
    return loss, total
