# mistake: gradients of repeated ids are averaged instead of summed
# accept: repeat; duplicate; average; more than once; mean over; summed; several times
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
    loss = np.mean(logsum - z[range(nt), targets])

    par = np.exp(z - logsum[:, None])
    par[range(nt), targets] -= 1.0
    dz = par / nt
    dh = dz.dot(E)
    da = dh * (1.0 - h * h)
    dx = da.dot(A.T)

    dE_out = dz.T.dot(h)
    dE_in = np.zeros_like(E)
    for token in np.unique(idx):
        dE_in[token] = dx[idx == token].mean(axis=0)
    return loss, dE_out + dE_in
