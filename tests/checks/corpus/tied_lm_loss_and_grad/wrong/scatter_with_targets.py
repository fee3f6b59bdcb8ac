# mistake: the lookup gradient is added to the rows of the targets, not of idx
# accept: targets; wrong rows; rows of the target; idx & lookup; idx & scatter
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    """Very literal: softmax Jacobian per row, then the chain rule with einsum."""
    n = idx.shape[0]
    hid = np.tanh(E[idx] @ A)
    scores = hid @ E.T
    scores = scores - scores.max(1, keepdims=True)
    blk = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    py = blk[np.arange(n), targets]
    loss = -np.mean(scores[np.arange(n), targets] - np.log(np.exp(scores).sum(1)))
    onehot = np.zeros_like(blk)
    onehot[np.arange(n), targets] = 1
    gZ = -(onehot - blk) / n
    dE = np.einsum("nv,nd->vd", gZ, hid)
    jac_tanh = np.einsum("nd,de->nde", 1 - hid**2, np.eye(hid.shape[1]))
    dinp = np.einsum("nv,ve,nef,df->nd", gZ, E, jac_tanh, A)
    for i, row in zip(targets, dinp):
        dE[i] += row
    assert np.all(py >= 0)
    return float(loss), dE
