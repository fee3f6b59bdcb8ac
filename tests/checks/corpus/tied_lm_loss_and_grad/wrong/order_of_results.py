# mistake: returns (dE, loss), the order is exchanged
# accept: order; swap; exchang; (loss, dE); first & loss; shape; tuple; first value; reversed
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V = E.shape[0]
    Xs = np.take(E, idx, axis=0)
    Hd = np.tanh(np.einsum("nd,de->ne", Xs, A))
    lg = np.einsum("ne,ve->nv", Hd, E)
    lg = lg - lg.max(axis=1)[:, None]
    logZ = np.log(np.einsum("nv->n", np.exp(lg)))
    y = (np.arange(V) == targets[:, None]).astype(float)
    nll = np.mean(logZ - np.einsum("nv,nv->n", lg, y))
    dZ = (np.exp(lg - logZ[:, None]) - y) / Xs.shape[0]
    head = np.einsum("nv,ne->ve", dZ, Hd)
    dU = np.einsum("nv,ve->ne", dZ, E) * (1 - Hd**2)
    select = (np.arange(V)[:, None] == idx).astype(float)
    lookup = np.einsum("vn,ne,de->vd", select, dU, A)
    return head + lookup, float(nll)
