# mistake: returns only dE, the loss is missing
# accept: pair; tuple; loss & missing; (loss, dE; two values; only dE; only the gradient
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n, r = idx.size, np.arange(idx.size)
    H = np.tanh(np.einsum("nd,de->ne", E[idx], A))
    Z = np.einsum("ne,ve->nv", H, E)
    P = np.exp(Z - Z.max(1)[:, None])
    P /= P.sum(1)[:, None]
    loss = np.mean(Z.max(1) + np.log(np.exp(Z - Z.max(1)[:, None]).sum(1)) - Z[r, targets])
    P[r, targets] -= 1
    D = np.einsum("nv,ve->ne", P, E) * (1 - H * H)
    D = np.einsum("ne,de->nd", D, A) / n
    out = np.einsum("nv,ne->ve", P, H) / n
    return out + np.stack([np.bincount(idx, D[:, j], len(E)) for j in range(E.shape[1])], 1)
