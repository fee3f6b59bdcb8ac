# mistake: the head's path and the lookup path are multiplied elementwise into one, not added
# accept: product; multipl & path; both paths; two paths; instead of add; not added; path & add; path & sum; elementwise
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = idx.shape[0]
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    Z = Z - Z.max(1, keepdims=True)
    lp = Z - np.log(np.exp(Z).sum(1, keepdims=True))
    D = np.exp(lp)
    D[np.arange(n), targets] -= 1
    D /= n
    out_side = D.T @ H
    in_side = np.zeros_like(E)
    np.add.at(in_side, idx, (D @ E * (1 - H**2)) @ A.T)
    return -lp[np.arange(n), targets].mean(), out_side * in_side
