# mistake: applies tanh once more: 1 - tanh(h)²
# accept: tanh'; tanh′; derivative of tanh; tanh derivative; slope; twice; tanh(h); again; second tanh; derivative of the tanh; tanh & derivative; 1 - h²; tanh & gradient
import numpy as np


def softmax_xent(lg, ctx):
    n = lg.shape[0]
    Zs = lg - np.max(lg, axis=1, keepdims=True)
    lse = np.log(np.sum(np.exp(Zs), axis=1, keepdims=True))
    ll = (Zs - lse)[np.arange(n), ctx]
    grad = np.exp(Zs - lse)
    grad[np.arange(n), ctx] += -1
    return -np.sum(ll) / n, grad / n


def tied_lm_loss_and_grad(E, A, idx, targets):
    pre = E[idx] @ A
    act = np.tanh(pre)
    loss, gZ = softmax_xent(act @ E.T, targets)
    slope = 1 - np.tanh(act) ** 2
    gX = np.dot(np.dot(gZ, E) * slope, np.transpose(A))
    acc = np.dot(np.transpose(gZ), act)
    np.add.at(acc, (idx, slice(None)), gX)
    return loss, acc
