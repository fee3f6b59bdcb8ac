import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    E, A = np.array(E, float), np.array(A, float)       # private copies
    rows = np.arange(idx.size)
    h = np.tanh(np.einsum("ni,ij->nj", E[idx], A))
    z = np.einsum("nj,vj->nv", h, E)
    z -= z[rows, np.argmax(z, axis=1)][:, None]
    expz = np.exp(z)
    Z = expz.sum(axis=1)
    loss = float((np.log(Z) - z[rows, targets]).sum() / idx.size)
    r = expz / Z[:, None]
    r[rows, targets] -= 1
    r /= idx.size
    dE = np.zeros_like(E)
    dE += np.einsum("nv,nj->vj", r, h)
    np.add.at(dE, idx, np.einsum("nv,vk,nk,ik->ni", r, E, 1 - h**2, A, optimize=True))
    return loss, dE
