# mistake: loss is log(softmax): underflows to log(0) = -inf for large logits
# accept: underflow; log(0); log 0; stab; inf; large logit; overflow; large score; log of the softmax; log of softmax
import numpy as np

# treat input table and output table as two matrices U and W, differentiate each, add (product rule of tying)


def grads(U, W, A, idx, out):
    batch = idx.size
    X = U[idx]
    a = np.tanh(X @ A)
    s = a @ W.T
    s = s - np.max(s, axis=1).reshape(-1, 1)
    e = np.exp(s)
    qs = e / e.sum(axis=1).reshape(-1, 1)
    nll = -np.log(qs[np.arange(batch), out])
    ds = qs
    ds[np.arange(batch), out] -= 1
    ds = ds / batch
    dW = ds.T @ a
    dinp = (ds @ W * (1 - a**2)) @ A.T
    dU = np.zeros(U.shape)
    for k in range(batch):
        dU[idx[k]] += dinp[k]
    return nll.sum() / batch, dU, dW


def tied_lm_loss_and_grad(E, A, idx, targets):
    ce, dU, dW = grads(E, E, A, idx, targets)
    return ce, dU + dW
