# mistake: a weight decay term 0.01 E is added to the gradient
# accept: decay; regular; l2; proportional to e; multiple of e; 0.01; extra term; added to the gradient
import numpy as np


def forward(E, A, idx, targets):
    stream = E[idx]; H = np.tanh(stream @ A); Z = H @ E.T
    Z = Z - Z.max(axis=-1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(axis=-1, keepdims=True))
    n = Z.shape[0]
    loss = -lp[np.arange(n), targets].sum() / n

    def backward():
        g = (np.exp(lp) - np.eye(E.shape[0])[targets]) / n
        through_head = (H.T @ g).T
        u = (1 - np.square(H)) * (g @ E)
        through_lookup = np.zeros_like(E)
        np.add.at(through_lookup, idx, u @ A.T)
        return through_head + through_lookup + 0.01 * E

    return loss, backward


def tied_lm_loss_and_grad(E, A, idx, targets):
    loss, backward = forward(E, A, idx, targets)
    return float(loss), backward()
