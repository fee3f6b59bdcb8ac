# mistake: treats E at the output as a constant (stop-gradient), so the head's direct contribution is missing
# accept: head$; output path; output side; only the lookup; path & missing
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    W_out = E.copy().T            # output weights
    x = E[idx]
    h = np.tanh(x @ A)
    logits = h @ W_out
    logits = logits - logits.max(axis=1, keepdims=True)
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    N = len(idx)
    loss = -np.log(probs[np.arange(N), targets]).mean() if np.all(probs[np.arange(N), targets] > 0) else np.mean(
        np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(N), targets])
    g = probs.copy()
    g[np.arange(N), targets] -= 1
    g = g / N
    gx = (g @ W_out.T * (1 - h**2)) @ A.T
    dE = np.zeros_like(E)
    np.add.at(dE, idx, gx)
    return loss, dE
