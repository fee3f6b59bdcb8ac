# mistake: the 1/n is applied twice to the gradient
# accept: twice; n²; 1/n; divided by n; n**2; two times; double; n^2
import numpy as np

# treat input table and output table as two matrices U and W, differentiate each, add (product rule of tying)


def grads(U, W, A, idx, y):
    B = idx.size
    X = U[idx]
    a = np.tanh(X @ A)
    s = a @ W.T
    s = s - np.max(s, axis=1).reshape(-1, 1)
    e = np.exp(s)
    q = e / e.sum(axis=1).reshape(-1, 1)
    nll = -(s[np.arange(B), y] - np.log(e.sum(axis=1)))
    ds = q
    ds[np.arange(B), y] -= 1
    ds = ds / B
    dW = ds.T @ a
    dX = (ds @ W * (1 - a**2)) @ A.T
    dU = np.zeros(U.shape)
    for k in range(B):
        dU[idx[k]] += dX[k]
    return nll.sum() / B, dU / B, dW / B


def tied_lm_loss_and_grad(E, A, idx, targets):
    loss, dU, dW = grads(E, E, A, idx, targets)
    return loss, dU + dW
