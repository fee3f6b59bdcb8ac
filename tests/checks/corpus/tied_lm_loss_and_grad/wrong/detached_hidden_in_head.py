# mistake: a_t's slope is applied to the head gradient as well (dZᵀ (H (1 - H²)))
# accept: head$ & slope; head$ & tanh; head$ & derivative; head$ & 1 - h²; dzᵀ; head$ & hidden; head path; head's; output side
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(targets)
    a = E[idx] @ A
    h, slope = np.tanh(a), 1 - np.tanh(a) ** 2
    s = h @ E.T
    m = s.max(axis=1)
    lse = m + np.log(np.exp(s - m[:, None]).sum(axis=1))
    g = np.exp(s - lse[:, None])
    g[np.arange(n), targets] -= 1
    g = g / n
    dE = g.T @ (h * slope)
    np.add.at(dE, idx, (g @ E * slope) @ A.T)
    return np.mean(lse - s[np.arange(n), targets]), dE
