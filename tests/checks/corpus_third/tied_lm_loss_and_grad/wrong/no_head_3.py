# mistake: path through the head missing
# accept: head & missing; head & left out; head & not; head & forgot; no & head; without & head; only & lookup; output & missing; scored & missing; through the lookup only
import numpy as np


def forward(E, A, idx):
    x = E[idx]
    a = x @ A
    h = np.tanh(a)
    return x, a, h, h @ E.T


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(targets)
    x, a, h, z = forward(E, A, idx)
    top = z.max(axis=-1, keepdims=True)
    p = np.exp(z - top)
    total = p.sum(axis=-1, keepdims=True)
    p = p / total
    nll = (top + np.log(total))[:, 0] - z[np.arange(n), targets]
    loss = np.mean(nll)

    delta = p.copy()
    for t in range(n):
        delta[t, targets[t]] -= 1.0
    delta /= n
    back = (delta @ E) * (1.0 - np.tanh(a) ** 2) @ A.T
    dE = np.zeros(E.shape)
    for t in range(n):
        dE[idx[t]] += back[t]
    return loss, dE
