# mistake: the one-hot matrix has max(idx)+1 columns, too few when the last id is absent
# accept: largest id; shape; last id; does not occur; do not occur; max(idx); missing id; one hot; highest id; matmul; mismatch
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V, C = E.shape
    n_tok = idx.shape[0]
    onehot_in = np.eye(idx.max() + 1)[idx]
    Y = np.eye(V)[targets]
    hid = np.tanh(onehot_in @ E @ A)
    logits = hid @ E.T
    m = logits.max(1)[:, None]
    lse = m + np.log(np.exp(logits - m).sum(1))[:, None]
    L_mean = np.sum(Y * (lse - logits)) / n_tok
    delta = (np.exp(logits - lse) - Y) / n_tok
    return L_mean, delta.T @ hid + onehot_in.T @ (((delta @ E) * (1 - hid * hid)) @ A.T)
