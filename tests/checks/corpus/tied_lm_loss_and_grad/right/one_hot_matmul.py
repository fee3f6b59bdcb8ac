import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    V, d = E.shape
    N = idx.shape[0]
    S = np.eye(V)[idx]                 # X = S E
    Y = np.eye(V)[targets]
    H = np.tanh(S @ E @ A)
    logits = H @ E.T
    m = logits.max(1)[:, None]
    lse = m + np.log(np.exp(logits - m).sum(1))[:, None]
    loss = np.sum(Y * (lse - logits)) / N
    G = (np.exp(logits - lse) - Y) / N
    return loss, G.T @ H + S.T @ (((G @ E) * (1 - H * H)) @ A.T)
