# mistake: the gradient is clipped to norm 1
# accept: clip; norm; rescal; scaled down; shrunk; factor; scal
from collections import defaultdict
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    act = np.tanh(E[idx] @ A)
    logits = act @ E.T
    logits -= logits.max(axis=1, keepdims=True)
    P = np.exp(logits)
    sums = P.sum(axis=1, keepdims=True)
    P /= sums
    L_mean = np.mean(np.log(sums[:, 0]) - logits[np.arange(n), targets])
    P[np.arange(n), targets] -= 1
    P /= n
    dinp = ((P @ E) * (1 - act * act)) @ A.T
    rows = defaultdict(lambda: np.zeros(E.shape[1]))
    for token, g in zip(idx.tolist(), dinp):
        rows[token] = rows[token] + g
    dE = P.T @ act
    for token, g in rows.items():
        dE[token] += g
    size = np.sqrt((dE**2).sum())
    if size > 1:
        dE = dE / size
    return float(L_mean), dE
