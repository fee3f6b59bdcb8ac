# mistake: the loss is taken against idx (the input ids), not targets
# accept: idx; input; targets
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    idx = np.asarray(idx)
    targets = idx
    t = idx.size
    hid = E[idx]
    h = np.tanh(hid.dot(A))
    z = h.dot(E.T)
    zmax = np.max(z, axis=1)
    logsum = zmax + np.log(np.sum(np.exp(z - zmax[:, None]), axis=1))
    nll = np.mean(logsum - z[range(t), targets])

    params_l = np.exp(z - logsum[:, None])
    params_l[range(t), targets] -= 1.0
    dz = params_l / t
    dh = dz.dot(E)
    da = dh * (1.0 - h * h)
    dx = da.dot(A.T)

    dE_out = dz.T.dot(h)
    dE_in = np.zeros_like(E)
    for token in np.unique(idx):
        dE_in[token] = dx[idx == token].sum(axis=0)
    return nll, dE_out + dE_in
