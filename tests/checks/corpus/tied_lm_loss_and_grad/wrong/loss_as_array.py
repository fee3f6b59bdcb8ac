# mistake: the loss is returned per token, not averaged
# accept: per token; shape; mean; scalar; averag; each token; array; one number; float; every token
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    idx = np.asarray(idx)
    targets = np.asarray(targets)
    nt = idx.size
    x = E[idx]
    h = np.tanh(x.dot(A))
    z = h.dot(E.T)
    zmax = np.max(z, axis=1)
    logsum = zmax + np.log(np.sum(np.exp(z - zmax[:, None]), axis=1))
    nll = logsum - z[range(nt), targets]

    w = np.exp(z - logsum[:, None])
    w[range(nt), targets] -= 1.0
    dz = w / nt
    dh = dz.dot(E)
    da = dh * (1.0 - h * h)
    dx = da.dot(A.T)

    dE_out = dz.T.dot(h)
    dE_in = np.zeros_like(E)
    for token in np.unique(idx):
        dE_in[token] = dx[idx == token].sum(axis=0)
    return nll, dE_out + dE_in
