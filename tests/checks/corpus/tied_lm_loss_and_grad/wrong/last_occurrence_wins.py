# mistake: assigns rows, so of a repeated id only the last occurrence counts
# accept: repeat; duplicate; several times; more than once; add.at; last occurrence; overwrit; assign
import numpy as np


def forward(E, A, idx, targets):
    X = E[idx]; Hd = np.tanh(X @ A); scores = Hd @ E.T
    scores = scores - scores.max(axis=-1, keepdims=True)
    lp = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    n = scores.shape[0]
    nll = -lp[np.arange(n), targets].sum() / n

    def backward():
        g = (np.exp(lp) - np.eye(E.shape[0])[targets]) / n
        through_head = (Hd.T @ g).T
        u = (1 - np.square(Hd)) * (g @ E)
        through_lookup = np.zeros_like(E)
        through_lookup[idx] = u @ A.T
        return through_head + through_lookup

    return nll, backward


def tied_lm_loss_and_grad(E, A, idx, targets):
    nll, backward = forward(E, A, idx, targets)
    return float(nll), backward()
