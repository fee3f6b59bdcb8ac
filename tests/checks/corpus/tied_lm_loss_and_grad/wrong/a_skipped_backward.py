# mistake: the multiplication by A.T is forgotten on the way back
# accept: aᵀ; a.t; transpos; multiplication by a; through a; a is missing; without a; matrix a
import numpy as np


def scatter_rows(rows, index, size):
    """sum rows with equal index, via bincount on flattened (id, feature) pairs"""
    n, d = rows.shape
    flat = (index[:, None] * d + np.arange(d)).ravel()
    return np.bincount(flat, weights=rows.ravel(), minlength=size * d).reshape(size, d)


def tied_lm_loss_and_grad(E, A, idx, targets):
    hidden = np.tanh(E[idx] @ A)
    att = hidden @ E.T
    att = att - att.max(-1, keepdims=True)
    probs = np.exp(att)
    probs /= probs.sum(-1, keepdims=True)
    picked = np.take_along_axis(att - np.log(np.exp(att).sum(-1, keepdims=True)), targets[:, None], 1)
    loss = -picked.mean()
    delta = probs.copy()
    np.put_along_axis(delta, targets[:, None], np.take_along_axis(delta, targets[:, None], 1) - 1, 1)
    delta /= len(idx)
    back = (1 - hidden**2) * (delta @ E)
    return loss, delta.T @ hidden + scatter_rows(back, idx, len(E))
