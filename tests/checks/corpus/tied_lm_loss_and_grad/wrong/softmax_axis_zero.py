# mistake: the softmax runs over the positions (axis 0), not over the vocabulary
# accept: axis; over the positions; columns; over the tokens; vocab
import numpy as np


def softmax_xent(lg, y):
    n = lg.shape[0]
    Zs = lg - np.max(lg, axis=0, keepdims=True)
    lse = np.log(np.sum(np.exp(Zs), axis=0, keepdims=True))
    ll = (Zs - lse)[np.arange(n), y]
    grad = np.exp(Zs - lse)
    grad[np.arange(n), y] += -1
    return -np.sum(ll) / n, grad / n


def tied_lm_loss_and_grad(E, A, idx, targets):
    pre = E[idx] @ A
    act = np.tanh(pre)
    ce, gZ = softmax_xent(act @ E.T, targets)
    with np.errstate(over="ignore"):
        slope = 1 / np.cosh(pre) ** 2
    gX = np.dot(np.dot(gZ, E) * slope, np.transpose(A))
    total = np.dot(np.transpose(gZ), act)
    np.add.at(total, (idx, slice(None)), gX)
    return ce, total
