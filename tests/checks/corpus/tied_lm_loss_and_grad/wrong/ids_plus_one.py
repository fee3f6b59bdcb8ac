# mistake: the lookup gradient goes to row id+1, as if ids were 1-based
# accept: off by one; id + 1; one based; 1 based; idx + 1; next row; wrong row; shift; row below; 0 based
import numpy as np


def scatter_rows(rows, index, size):
    """sum rows with equal index, via bincount on flattened (id, feature) pairs"""
    n, d = rows.shape
    flat = ((index[:, None] + 1) % size * d + np.arange(d)).ravel()
    return np.bincount(flat, weights=rows.ravel(), minlength=size * d).reshape(size, d)


def tied_lm_loss_and_grad(E, A, idx, targets):
    hidden = np.tanh(E[idx] @ A)
    scores = hidden @ E.T
    scores = scores - scores.max(-1, keepdims=True)
    probs = np.exp(scores)
    probs /= probs.sum(-1, keepdims=True)
    picked = np.take_along_axis(scores - np.log(np.exp(scores).sum(-1, keepdims=True)), targets[:, None], 1)
    loss = -picked.mean()
    delta = probs.copy()
    np.put_along_axis(delta, targets[:, None], np.take_along_axis(delta, targets[:, None], 1) - 1, 1)
    delta /= len(idx)
    back = (1 - hidden**2) * (delta @ E)
    return loss, delta.T @ hidden + scatter_rows(back @ A.T, idx, len(E))
