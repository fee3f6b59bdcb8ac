# mistake: dE aliases E: the gradient is accumulated into the caller's E
# accept: in place; mutat; changes; changed; modif; input; altered; overwrit; alias; added to e; e itself
from collections import defaultdict
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    hid = np.tanh(E[idx] @ A)
    Z = hid @ E.T
    Z -= Z.max(axis=1, keepdims=True)
    P = np.exp(Z)
    sums = P.sum(axis=1, keepdims=True)
    P /= sums
    L_mean = np.mean(np.log(sums[:, 0]) - Z[np.arange(n), targets])
    P[np.arange(n), targets] -= 1
    P /= n
    dinp = ((P @ E) * (1 - hid * hid)) @ A.T
    rows = defaultdict(lambda: np.zeros(E.shape[1]))
    for token, g in zip(idx.tolist(), dinp):
        rows[token] = rows[token] + g
    dE = E
    dE += P.T @ hid
    for token, g in rows.items():
        dE[token] += g
    return float(L_mean), dE
