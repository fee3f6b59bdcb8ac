# mistake: bincount without minlength is too short when the largest ids do not occur
# accept: minlength; largest id; shape; last id; do not occur; does not occur; max(idx); missing id; bincount; highest id; broadcast
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    count, V = len(idx), len(E)
    Hd = np.tanh(np.matmul(E[idx], A))
    L = np.matmul(Hd, E.T)
    L = L - L.max(-1)[:, np.newaxis]
    logq = L - np.log(np.exp(L).sum(-1))[:, np.newaxis]
    ce = np.mean(-logq[np.arange(count), targets])
    G = np.exp(logq)
    G[np.arange(count), targets] -= 1
    G = G / count
    back = np.matmul(np.matmul(G, E) * (1 - Hd**2), A.T)
    lookup = np.stack([np.bincount(idx, weights=back[:, j]) for j in range(E.shape[1])], axis=1)
    return ce, np.matmul(G.T, Hd) + lookup
