# mistake: only the gradient through the head, the lookup path is missing
# accept: lookup; input path; input side; embedding path; only the head; path & missing; second path; head & only; other path
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    Z = Z - Z.max(axis=1, keepdims=True)
    logp = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    loss = -logp[np.arange(n), targets].mean()

    dZ = np.exp(logp)
    dZ[np.arange(n), targets] -= 1
    dZ /= n
    dE = dZ.T @ H                       # head
    return float(loss), dE
