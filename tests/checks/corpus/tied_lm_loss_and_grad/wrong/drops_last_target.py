# mistake: shifts input against targets once more and drops the last pair
# accept: shift; last; n - 1; drop; off by one; one position; targets; already; one fewer
import numpy as np


def forward(E, A, idx, targets):
    H_in = E[idx]; hid = np.tanh(H_in @ A); Z = hid @ E.T
    Z = Z - Z.max(axis=-1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(axis=-1, keepdims=True))
    n = Z.shape[0]
    loss = -lp[np.arange(n), targets].sum() / n

    def backward():
        g = (np.exp(lp) - np.eye(E.shape[0])[targets]) / n
        through_head = (hid.T @ g).T
        up = (1 - np.square(hid)) * (g @ E)
        through_lookup = np.zeros_like(E)
        np.add.at(through_lookup, idx, up @ A.T)
        return through_head + through_lookup

    return loss, backward


def tied_lm_loss_and_grad(E, A, idx, targets):
    loss, backward = forward(E, A, idx[:-1], targets[1:])
    return float(loss), backward()
