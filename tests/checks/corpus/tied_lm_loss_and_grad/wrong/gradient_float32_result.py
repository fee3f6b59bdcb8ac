# mistake: the gradient is returned as float32
# accept: float32; single precision; precision; dtype; rounding; rounded
import numpy as np


def forward(E, A, idx, targets):
    X = E[idx]; Hd = np.tanh(X @ A); Z = Hd @ E.T
    Z = Z - Z.max(axis=-1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(axis=-1, keepdims=True))
    n = Z.shape[0]
    ce = -lp[np.arange(n), targets].sum() / n

    def backward():
        g = (np.exp(lp) - np.eye(E.shape[0])[targets]) / n
        through_head = (Hd.T @ g).T
        u = (1 - np.square(Hd)) * (g @ E)
        through_lookup = np.zeros_like(E)
        np.add.at(through_lookup, idx, u @ A.T)
        return through_head + through_lookup

    return ce, backward


def tied_lm_loss_and_grad(E, A, idx, targets):
    ce, backward = forward(E, A, idx, targets)
    return float(ce), backward().astype(np.float32)
