# mistake: idx and targets are exchanged
# accept: swap; exchang; idx & targets; interchang; other way; mixed up
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    idx, targets = targets, idx
    V = E.shape[0]
    X = np.take(E, idx, axis=0)
    hid = np.tanh(np.einsum("nd,de->ne", X, A))
    scores = np.einsum("ne,ve->nv", hid, E)
    scores = scores - scores.max(axis=1)[:, None]
    logZ = np.log(np.einsum("nv->n", np.exp(scores)))
    o = (np.arange(V) == targets[:, None]).astype(float)
    ce = np.mean(logZ - np.einsum("nv,nv->n", scores, o))
    gZ = (np.exp(scores - logZ[:, None]) - o) / X.shape[0]
    head = np.einsum("nv,ne->ve", gZ, hid)
    dU = np.einsum("nv,ve->ne", gZ, E) * (1 - hid**2)
    select = (np.arange(V)[:, None] == idx).astype(float)
    lookup = np.einsum("vn,ne,de->vd", select, dU, A)
    return float(ce), head + lookup
