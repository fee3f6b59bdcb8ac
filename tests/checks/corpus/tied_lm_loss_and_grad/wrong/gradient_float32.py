# mistake: dE is accumulated in float32
# accept: float32; single precision; precision; dtype; rounding; rounded
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    idx = np.asarray(idx)
    targets = np.asarray(targets)
    t = idx.size
    x = E[idx]
    h = np.tanh(x.dot(A))
    z = h.dot(E.T)
    zmax = np.max(z, axis=1)
    logsum = zmax + np.log(np.sum(np.exp(z - zmax[:, None]), axis=1))
    ce = np.mean(logsum - z[range(t), targets])

    params_l = np.exp(z - logsum[:, None])
    params_l[range(t), targets] -= 1.0
    dz = params_l / t
    dh = dz.dot(E)
    da = dh * (1.0 - h * h)
    dx = da.dot(A.T)

    dE_out = dz.T.dot(h)
    dE_in = np.zeros(E.shape, dtype=np.float32)
    for token in np.unique(idx):
        dE_in[token] = dx[idx == token].sum(axis=0)
    return ce, dE_out + dE_in
