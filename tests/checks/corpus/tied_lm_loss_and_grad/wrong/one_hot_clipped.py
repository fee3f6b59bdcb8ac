# mistake: rows of repeated ids are normalised by their count in the one-hot product
# accept: repeat; duplicate; average; count; more than once; several times; divided by how often
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V, d = E.shape
    N = idx.shape[0]
    onehot_in = np.eye(V)[idx]                 # X = S E
    Y = np.eye(V)[targets]
    H = np.tanh(onehot_in @ E @ A)
    logits = H @ E.T
    m = logits.max(1)[:, None]
    lse = m + np.log(np.exp(logits - m).sum(1))[:, None]
    nll = np.sum(Y * (lse - logits)) / N
    delta = (np.exp(logits - lse) - Y) / N
    counts = np.maximum(onehot_in.sum(0), 1)[:, None]
    return nll, delta.T @ H + onehot_in.T @ (((delta @ E) * (1 - H * H)) @ A.T) / counts
