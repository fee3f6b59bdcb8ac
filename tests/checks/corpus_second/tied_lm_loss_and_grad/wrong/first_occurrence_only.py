# mistake: only the first occurrence of an id gets gradient
# accept: repeat; same id; occurs twice; occurs more than once; more than once; np.add.at; add.at; duplicate; first occurrence; first time
import numpy as np


def _first(idx, D, E):
    G = np.zeros(E.shape)
    u, where = np.unique(idx, return_index=True)
    G[u] = D[where]
    return G


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
    return loss, out + _first(idx, D, E)
