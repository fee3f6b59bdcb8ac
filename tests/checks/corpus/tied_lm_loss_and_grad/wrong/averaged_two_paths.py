# mistake: the two paths are averaged because the matrix is "used twice"
# accept: half; averag; factor 2; factor of 2; 1/2; 0.5; both paths; summed; divided by 2; two paths
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    x = E[idx]
    h = np.tanh(x @ A)
    z = h @ E.T
    z = z - z.max(-1)[:, None]
    p = np.exp(z)
    p = p / p.sum(-1)[:, None]
    N = targets.size
    loss = -(z[np.arange(N), targets] - np.log(np.exp(z).sum(-1))).mean()
    p[np.arange(N), targets] -= 1
    p = p / N
    g_out = p.T @ h
    g_in = np.zeros(E.shape)
    np.add.at(g_in, idx, ((p @ E) * (1 - h**2)) @ A.T)
    return loss, (g_out + g_in) / 2
