# mistake: the softmax's derivative is taken as p(1-p), the diagonal of the Jacobian only
# accept: p(1; jacobian; diagonal; softmax; one hot; p - y; sigmoid; dz; logits
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n = len(idx)
    hidden = np.tanh(E[idx] @ A)
    logits = hidden @ E.T
    logits = logits - logits.max(axis=1, keepdims=True)
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    loss = np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(n), targets])
    err = np.zeros_like(probs)
    err[np.arange(n), targets] = -1
    dlogits = (err + probs) * probs * (1 - probs) / n
    dE = dlogits.T @ hidden
    np.add.at(dE, idx, ((dlogits @ E) * (1 - hidden**2)) @ A.T)
    return loss, dE
