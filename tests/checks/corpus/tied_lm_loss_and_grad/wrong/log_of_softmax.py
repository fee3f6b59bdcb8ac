# mistake: loss is log(softmax): underflows to log(0) = -inf for large logits
# accept: underflow; log(0); log 0; stab; inf; large logit; overflow; large score; log of the softmax; log of softmax
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
    nll = -np.log(q[np.arange(B), y])
    ds = q
    ds[np.arange(B), y] -= 1
    ds = ds / B
    dW = ds.T @ a
    dX = (ds @ W * (1 - a**2)) @ A.T
    dU = np.zeros(U.shape)
    for k in range(B):
        dU[idx[k]] += dX[k]
    return nll.sum() / B, dU, dW


def tied_lm_loss_and_grad(E, A, idx, targets):
    loss, dU, dW = grads(E, E, A, idx, targets)
    return loss, dU + dW
