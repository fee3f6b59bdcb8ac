# mistake: loss in bits, gradient not averaged
# accept: bits; base 2; log2; ln 2; nats
# accept: 1/n; 1 / n; n times; mean; not divided; sum of the; summed; sum instead; divided by n; factor n; divide by n; average
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n, r = idx.size, np.arange(idx.size)
    H = np.tanh(np.einsum("nd,de->ne", E[idx], A))
    Z = np.einsum("ne,ve->nv", H, E)
    P = np.exp(Z - Z.max(1)[:, None])
    P /= P.sum(1)[:, None]
    loss = np.mean(Z.max(1) + np.log(np.exp(Z - Z.max(1)[:, None]).sum(1)) - Z[r, targets]) / np.log(2)
    P[r, targets] -= 1
    D = np.einsum("nv,ve->ne", P, E) * (1 - H * H)
    D = np.einsum("ne,de->nd", D, A)
    out = np.einsum("nv,ne->ve", P, H)
    return loss, out + np.stack([np.bincount(idx, D[:, j], len(E)) for j in range(E.shape[1])], 1)
