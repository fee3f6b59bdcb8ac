# mistake: divides the gradient by V instead of n
# accept: by V; vocab; 1/V; instead of n; 1/n; number of tokens; divided by n; n tokens
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V = E.shape[0]
    Xs = np.take(E, idx, axis=0)
    H = np.tanh(np.einsum('nd,de->ne', Xs, A))
    scores = np.einsum('ne,ve->nv', H, E)
    scores = scores - scores.max(axis=1)[:, None]
    logZ = np.log(np.einsum('nv->n', np.exp(scores)))
    out = (np.arange(V) == targets[:, None]).astype(float)
    loss = np.mean(logZ - np.einsum('nv,nv->n', scores, out))
    gZ = (np.exp(scores - logZ[:, None]) - out) / V
    head = np.einsum('nv,ne->ve', gZ, H)
    dU = np.einsum('nv,ve->ne', gZ, E) * (1 - H**2)
    select = (np.arange(V)[:, None] == idx).astype(float)
    lookup = np.einsum('vn,ne,de->vd', select, dU, A)
    return float(loss), head + lookup
