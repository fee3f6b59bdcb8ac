# mistake: two: tanh' is missing, and A is not transposed
# accept: tanh'; tanh′; derivative of tanh; tanh derivative; slope; derivative of the tanh; tanh & derivative; tanh & gradient; 1 - h²
# accept: aᵀ; a.t; transpos
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    """Very literal: softmax Jacobian per row, then the chain rule with einsum."""
    n = idx.shape[0]
    H = np.tanh(E[idx] @ A)
    Z = H @ E.T
    Z = Z - Z.max(1, keepdims=True)
    w = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
    py = w[np.arange(n), targets]
    nll = -np.mean(Z[np.arange(n), targets] - np.log(np.exp(Z).sum(1)))
    # d(-log p_y)/dz = -(onehot - p); written as J with the y-th row divided by p_y
    onehot = np.zeros_like(w)
    onehot[np.arange(n), targets] = 1
    dlogits = -(onehot - w) / n
    dE = np.einsum("nv,nd->vd", dlogits, H)
    dinp = np.einsum("nv,ve,ed->nd", dlogits, E, A)
    for i, row in zip(idx, dinp):
        dE[i] += row
    assert np.all(py >= 0)
    return float(nll), dE
