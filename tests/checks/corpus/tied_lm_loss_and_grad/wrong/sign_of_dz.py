# mistake: onehot - p instead of p - onehot: the whole gradient has the wrong sign
# accept: sign; minus; negative; negat; opposite; reversed; p -; ascent
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    """Very literal: softmax Jacobian per row, then the chain rule with einsum."""
    n = idx.shape[0]
    act = np.tanh(E[idx] @ A)
    Z = act @ E.T
    Z = Z - Z.max(1, keepdims=True)
    p = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
    py = p[np.arange(n), targets]
    loss = -np.mean(Z[np.arange(n), targets] - np.log(np.exp(Z).sum(1)))
    # d(-log p_y)/dz = -(onehot - p); written as J with the y-th row divided by p_y
    onehot = np.zeros_like(p)
    onehot[np.arange(n), targets] = 1
    dlogits = (onehot - p) / n
    dE = np.einsum("nv,nd->vd", dlogits, act)
    jac_tanh = np.einsum("nd,de->nde", 1 - act**2, np.eye(act.shape[1]))
    dinp = np.einsum("nv,ve,nef,df->nd", dlogits, E, jac_tanh, A)
    for i, row in zip(idx, dinp):
        dE[i] += row
    assert np.all(py >= 0)
    return float(loss), dE
