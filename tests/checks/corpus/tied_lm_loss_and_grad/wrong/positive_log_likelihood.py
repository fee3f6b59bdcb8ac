# mistake: the loss is the log-likelihood, its minus sign is missing
# accept: sign; minus; negative; negat; log likelihood
import numpy as np


def tied_lm_loss_and_grad(E, A, idx, targets):
    count, V = len(idx), len(E)
    H = np.tanh(np.matmul(E[idx], A))
    L = np.matmul(H, E.T)
    L = L - L.max(-1)[:, np.newaxis]
    logq = L - np.log(np.exp(L).sum(-1))[:, np.newaxis]
    loss = np.mean(logq[np.arange(count), targets])
    gz = np.exp(logq)
    gz[np.arange(count), targets] -= 1
    gz = gz / count
    back = np.matmul(np.matmul(gz, E) * (1 - H**2), A.T)
    lookup = np.stack([np.bincount(idx, weights=back[:, j], minlength=V) for j in range(E.shape[1])], axis=1)
    return loss, np.matmul(gz.T, H) + lookup
