import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    """Very literal: softmax Jacobian per row, then the chain rule with einsum."""
    n = idx.shape[0]
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    Z = Z - Z.max(1, keepdims=True)
    p = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
    py = p[np.arange(n), targets]
    loss = -np.mean(Z[np.arange(n), targets] - np.log(np.exp(Z).sum(1)))
    # d(-log p_y)/dz = -(onehot - p); written as J with the y-th row divided by p_y
    onehot = np.zeros_like(p)
    onehot[np.arange(n), targets] = 1
    dZ = -(onehot - p) / n
    dE = np.einsum("nv,nd->vd", dZ, H)
    jac_tanh = np.einsum("nd,de->nde", 1 - H**2, np.eye(H.shape[1]))
    dX = np.einsum("nv,ve,nef,df->nd", dZ, E, jac_tanh, A)
    for i, row in zip(idx, dX):
        dE[i] += row
    assert np.all(py >= 0)
    return float(loss), dE
