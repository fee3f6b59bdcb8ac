# mistake: the sigmoid's derivative h(1-h) was used for tanh
# accept: sigmoid; tanh'; tanh′; derivative of tanh; tanh derivative; h(1; slope; derivative of the tanh; tanh & derivative; 1 - h²; tanh & gradient
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    idx = np.asarray(idx)
    targets = np.asarray(targets)
    nt = idx.size
    stream = E[idx]
    h = np.tanh(stream.dot(A))
    z = h.dot(E.T)
    zmax = np.max(z, axis=1)
    logsum = zmax + np.log(np.sum(np.exp(z - zmax[:, None]), axis=1))
    nll = np.mean(logsum - z[range(nt), targets])

    blk = np.exp(z - logsum[:, None])
    blk[range(nt), targets] -= 1.0
    dz = blk / nt
    dh = dz.dot(E)
    da = dh * (h * (1.0 - h))
    dx = da.dot(A.T)

    dE_out = dz.T.dot(h)
    dE_in = np.zeros_like(E)
    for token in np.unique(idx):
        dE_in[token] = dx[idx == token].sum(axis=0)
    return nll, dE_out + dE_in
