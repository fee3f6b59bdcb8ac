# mistake: dE is returned transposed, (d, V)
# accept: shape; transpos; (d, V)
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V, d = E.shape
    count = idx.shape[0]
    onehot_in = np.eye(V)[idx]
    Y = np.eye(V)[targets]
    hid = np.tanh(onehot_in @ E @ A)
    logits = hid @ E.T
    m = logits.max(1)[:, None]
    lse = m + np.log(np.exp(logits - m).sum(1))[:, None]
    nll = np.sum(Y * (lse - logits)) / count
    delta = (np.exp(logits - lse) - Y) / count
    return nll, hid.T @ delta + A @ ((delta @ E) * (1 - hid * hid)).T @ onehot_in
