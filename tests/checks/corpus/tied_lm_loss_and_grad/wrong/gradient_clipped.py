# mistake: the gradient is clipped to norm 1
# accept: clip; norm; rescal; scaled down; shrunk; factor; scal
from collections import defaultdict
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    Z -= Z.max(axis=1, keepdims=True)
    P = np.exp(Z)
    sums = P.sum(axis=1, keepdims=True)
    P /= sums
    loss = np.mean(np.log(sums[:, 0]) - Z[np.arange(n), targets])
    P[np.arange(n), targets] -= 1
    P /= n
    dX = ((P @ E) * (1 - H * H)) @ A.T
    rows = defaultdict(lambda: np.zeros(E.shape[1]))
    for token, g in zip(idx.tolist(), dX):
        rows[token] = rows[token] + g
    dE = P.T @ H
    for token, g in rows.items():
        dE[token] += g
    size = np.sqrt((dE**2).sum())
    if size > 1:
        dE = dE / size
    return float(loss), dE
