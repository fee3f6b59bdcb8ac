# mistake: the forward pass uses A.T (nn.Linear's convention)
# accept: aᵀ; a.t; transpos
import numpy as np


def forward(E, A, idx, targets):
    stream = E[idx]; hid = np.tanh(stream @ A.T); Z = hid @ E.T
    Z = Z - Z.max(axis=-1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(axis=-1, keepdims=True))
    n = Z.shape[0]
    nll = -lp[np.arange(n), targets].sum() / n

    def backward():
        g = (np.exp(lp) - np.eye(E.shape[0])[targets]) / n
        through_head = (hid.T @ g).T
        pre = (1 - np.square(hid)) * (g @ E)
        through_lookup = np.zeros_like(E)
        np.add.at(through_lookup, idx, pre @ A)
        return through_head + through_lookup

    return nll, backward


def tied_lm_loss_and_grad(E, A, idx, targets):
    nll, backward = forward(E, A, idx, targets)
    return float(nll), backward()
