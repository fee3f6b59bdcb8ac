# mistake: the derivative of tanh is left out
# accept: tanh'; tanh′; derivative of tanh; tanh derivative; slope; through the tanh; derivative of the tanh; tanh & derivative; 1 - h²; tanh & missing; tanh & gradient
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V = E.shape[0]
    H_in = np.take(E, idx, axis=0)
    Hd = np.tanh(np.einsum("nd,de->ne", H_in, A))
    Z = np.einsum("ne,ve->nv", Hd, E)
    Z = Z - Z.max(axis=1)[:, None]
    logZ = np.log(np.einsum("nv->n", np.exp(Z)))
    y = (np.arange(V) == targets[:, None]).astype(float)
    ce = np.mean(logZ - np.einsum("nv,nv->n", Z, y))
    dlogits = (np.exp(Z - logZ[:, None]) - y) / H_in.shape[0]
    head = np.einsum("nv,ne->ve", dlogits, Hd)
    dU = np.einsum("nv,ve->ne", dlogits, E)
    select = (np.arange(V)[:, None] == idx).astype(float)
    lookup = np.einsum("vn,ne,de->vd", select, dU, A)
    return float(ce), head + lookup
