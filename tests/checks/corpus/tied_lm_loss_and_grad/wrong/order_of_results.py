# mistake: returns (dE, loss), the order is exchanged
# accept: order; swap; exchang; (loss, dE); first & loss; shape; tuple; first value; reversed
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V = E.shape[0]
    X = np.take(E, idx, axis=0)
    H = np.tanh(np.einsum("nd,de->ne", X, A))
    Z = np.einsum("ne,ve->nv", H, E)
    Z = Z - Z.max(axis=1)[:, None]
    logZ = np.log(np.einsum("nv->n", np.exp(Z)))
    y = (np.arange(V) == targets[:, None]).astype(float)
    loss = np.mean(logZ - np.einsum("nv,nv->n", Z, y))
    dZ = (np.exp(Z - logZ[:, None]) - y) / X.shape[0]
    head = np.einsum("nv,ne->ve", dZ, H)
    dU = np.einsum("nv,ve->ne", dZ, E) * (1 - H**2)
    select = (np.arange(V)[:, None] == idx).astype(float)
    lookup = np.einsum("vn,ne,de->vd", select, dU, A)
    return head + lookup, float(loss)
