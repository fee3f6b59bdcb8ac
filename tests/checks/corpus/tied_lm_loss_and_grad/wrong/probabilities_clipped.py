# mistake: probabilities are clipped at 1e-7 before the logarithm (Keras' habit)
# accept: clip; 1e-7; epsilon; eps; small prob; floor; large loss; lower bound; large logit; inside the log
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    n_tok, V = len(idx), len(E)
    act = np.tanh(np.matmul(E[idx], A))
    L = np.matmul(act, E.T)
    L = L - L.max(-1)[:, np.newaxis]
    logq = L - np.log(np.exp(L).sum(-1))[:, np.newaxis]
    Qh = np.clip(np.exp(logq), 1e-7, 1 - 1e-7)
    loss = np.mean(-np.log(Qh[np.arange(n_tok), targets]))
    G = np.exp(logq)
    G[np.arange(n_tok), targets] -= 1
    G = G / n_tok
    back = np.matmul(np.matmul(G, E) * (1 - act**2), A.T)
    lookup = np.stack([np.bincount(idx, weights=back[:, j], minlength=V) for j in range(E.shape[1])], axis=1)
    return loss, np.matmul(G.T, act) + lookup
