# mistake: bincount without minlength is too short when the largest ids do not occur
# accept: minlength; largest id; shape; last id; do not occur; does not occur; max(idx); missing id; bincount; highest id; broadcast
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    N, V = len(idx), len(E)
    H = np.tanh(np.matmul(E[idx], A))
    L = np.matmul(H, E.T)
    L = L - L.max(-1)[:, np.newaxis]
    logq = L - np.log(np.exp(L).sum(-1))[:, np.newaxis]
    loss = np.mean(-logq[np.arange(N), targets])
    G = np.exp(logq)
    G[np.arange(N), targets] -= 1
    G = G / N
    back = np.matmul(np.matmul(G, E) * (1 - H**2), A.T)
    lookup = np.stack([np.bincount(idx, weights=back[:, j]) for j in range(E.shape[1])], axis=1)
    return loss, np.matmul(G.T, H) + lookup
