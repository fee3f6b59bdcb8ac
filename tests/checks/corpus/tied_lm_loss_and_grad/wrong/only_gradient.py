# mistake: only dE is returned, not the pair (loss, dE)
# accept: loss; pair; tuple; two values; (loss, dE); unpack
import numpy as np


def softmax_xent(logits, out):
    n = logits.shape[0]
    Zs = logits - np.max(logits, axis=1, keepdims=True)
    lse = np.log(np.sum(np.exp(Zs), axis=1, keepdims=True))
    ll = (Zs - lse)[np.arange(n), out]
    grad = np.exp(Zs - lse)
    grad[np.arange(n), out] += -1
    return -np.sum(ll) / n, grad / n


def tied_lm_loss_and_grad(E, A, idx, targets):
    pre = E[idx] @ A
    act = np.tanh(pre)
    ce, gZ = softmax_xent(act @ E.T, targets)
    with np.errstate(over="ignore"):
        slope = 1 / np.cosh(pre) ** 2
    gX = np.dot(np.dot(gZ, E) * slope, np.transpose(A))
    n_params = np.dot(np.transpose(gZ), act)
    np.add.at(n_params, (idx, slice(None)), gX)
    return n_params
