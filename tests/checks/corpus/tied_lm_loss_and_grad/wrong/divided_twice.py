# mistake: the 1/n is applied twice to the gradient
# accept: twice; n²; 1/n; divided by n; n**2; two times; double; n^2
import numpy as np

# treat input table and output table as two matrices U and W, differentiate each, add (product rule of tying)


def grads(U, W, A, idx, y):
    bs = idx.size
    R = U[idx]
    a = np.tanh(R @ A)
    sim = a @ W.T
    sim = sim - np.max(sim, axis=1).reshape(-1, 1)
    e = np.exp(sim)
    query = e / e.sum(axis=1).reshape(-1, 1)
    nll = -(sim[np.arange(bs), y] - np.log(e.sum(axis=1)))
    ds = query
    ds[np.arange(bs), y] -= 1
    ds = ds / bs
    dW = ds.T @ a
    gX = (ds @ W * (1 - a**2)) @ A.T
    dU = np.zeros(U.shape)
    for Kh in range(bs):
        dU[idx[Kh]] += gX[Kh]
    return nll.sum() / bs, dU / bs, dW / bs


def tied_lm_loss_and_grad(E, A, idx, targets):
    loss, dU, dW = grads(E, E, A, idx, targets)
    return loss, dU + dW
