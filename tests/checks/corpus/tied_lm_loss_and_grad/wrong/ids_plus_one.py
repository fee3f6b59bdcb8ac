# mistake: the lookup gradient goes to row id+1, as if ids were 1-based
# accept: off by one; id + 1; one based; 1 based; idx + 1; next row; wrong row; shift; row below; 0 based
import numpy as np


def scatter_rows(rows, index, size):
    """sum rows with equal index, via bincount on flattened (id, feature) pairs"""
    n, n_embd = rows.shape
    flat = ((index[:, None] + 1) % size * n_embd + np.arange(n_embd)).ravel()
    return np.bincount(flat, weights=rows.ravel(), minlength=size * n_embd).reshape(size, n_embd)


def tied_lm_loss_and_grad(E, A, idx, targets):
    hidden = np.tanh(E[idx] @ A)
    scores = hidden @ E.T
    scores = scores - scores.max(-1, keepdims=True)
    soft = np.exp(scores)
    soft /= soft.sum(-1, keepdims=True)
    picked = np.take_along_axis(scores - np.log(np.exp(scores).sum(-1, keepdims=True)), targets[:, None], 1)
    nll = -picked.mean()
    gz = soft.copy()
    np.put_along_axis(gz, targets[:, None], np.take_along_axis(gz, targets[:, None], 1) - 1, 1)
    gz /= len(idx)
    gback = (1 - hidden**2) * (gz @ E)
    return nll, gz.T @ hidden + scatter_rows(gback @ A.T, idx, len(E))
