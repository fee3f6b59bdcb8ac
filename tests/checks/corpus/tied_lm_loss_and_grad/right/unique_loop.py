import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    idx = np.asarray(idx)
    targets = np.asarray(targets)
    T = idx.size
    x = E[idx]
    h = np.tanh(x.dot(A))
    z = h.dot(E.T)
    zmax = np.max(z, axis=1)
    logsum = zmax + np.log(np.sum(np.exp(z - zmax[:, None]), axis=1))
    loss = np.mean(logsum - z[range(T), targets])

    p = np.exp(z - logsum[:, None])
    p[range(T), targets] -= 1.0
    dz = p / T
    dh = dz.dot(E)
    da = dh * (1.0 - h * h)
    dx = da.dot(A.T)

    dE_out = dz.T.dot(h)
    dE_in = np.zeros_like(E)
    for token in np.unique(idx):
        dE_in[token] = dx[idx == token].sum(axis=0)
    return loss, dE_out + dE_in
