# mistake: the head gradient is dZᵀ X where it is dZᵀ H
# accept: x instead; dzᵀ; h instead; not h; head$; instead of h; x & head$; embeddings instead
import numpy as np

# treat input table and output table as two matrices U and W, differentiate each, add (product rule of tying)


def grads(U, W, A, idx, y):
    batch = idx.size
    X = U[idx]
    a = np.tanh(X @ A)
    s = a @ W.T
    s = s - np.max(s, axis=1).reshape(-1, 1)
    e = np.exp(s)
    qs = e / e.sum(axis=1).reshape(-1, 1)
    nll = -(s[np.arange(batch), y] - np.log(e.sum(axis=1)))
    ds = qs
    ds[np.arange(batch), y] -= 1
    ds = ds / batch
    dW = ds.T @ X
    dX = (ds @ W * (1 - a**2)) @ A.T
    dU = np.zeros(U.shape)
    for key in range(batch):
        dU[idx[key]] += dX[key]
    return nll.sum() / batch, dU, dW


def tied_lm_loss_and_grad(E, A, idx, targets):
    loss, dU, dW = grads(E, E, A, idx, targets)
    return loss, dU + dW
