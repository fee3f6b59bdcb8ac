# mistake: returns the gradient with respect to A
# accept: of a; respect to a; da; a instead; shape; wrong matrix; gradient for a
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V = E.shape[0]
    X = np.take(E, idx, axis=0)
    Hd = np.tanh(np.einsum("nd,de->ne", X, A))
    scores = np.einsum("ne,ve->nv", Hd, E)
    scores = scores - scores.max(axis=1)[:, None]
    logZ = np.log(np.einsum("nv->n", np.exp(scores)))
    y = (np.arange(V) == targets[:, None]).astype(float)
    loss = np.mean(logZ - np.einsum("nv,nv->n", scores, y))
    dZ = (np.exp(scores - logZ[:, None]) - y) / X.shape[0]
    head = np.einsum("nv,ne->ve", dZ, Hd)
    dU = np.einsum("nv,ve->ne", dZ, E) * (1 - Hd**2)
    return float(loss), np.einsum("nd,ne->de", X, dU)
