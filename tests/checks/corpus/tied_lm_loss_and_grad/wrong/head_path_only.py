# mistake: only the gradient through the head, the lookup path is missing
# accept: lookup; input path; input side; embedding path; only the head; path & missing; second path; head$ & only; other path
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    Xs = E[idx]
    Hd = np.tanh(Xs @ A)
    lg = Hd @ E.T
    lg = lg - lg.max(axis=1, keepdims=True)
    lp = lg - np.log(np.exp(lg).sum(axis=1, keepdims=True))
    nll = -lp[np.arange(n), targets].mean()

    gZ = np.exp(lp)
    gZ[np.arange(n), targets] -= 1
    gZ /= n
    dE = gZ.T @ Hd                       # head
    return float(nll), dE
