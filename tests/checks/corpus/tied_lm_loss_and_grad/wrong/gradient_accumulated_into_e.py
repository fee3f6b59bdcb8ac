# mistake: dE aliases E: the gradient is accumulated into the caller's E
# accept: in place; mutat; changes; changed; modif; input; altered; overwrit; alias; added to e; e itself
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
    dE = E
    dE += P.T @ H
    for token, g in rows.items():
        dE[token] += g
    return float(loss), dE
