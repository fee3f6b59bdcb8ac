# mistake: scores are clipped to ±50 against overflow
# accept: clip; 50; capped; limited
import numpy as np


def one_hot(ids, size):
    return np.eye(size)[ids]


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def logsumexp(z):
    m = z.max(-1)
    return m + np.log(np.exp(z - m[:, None]).sum(-1))


def tied_lm_loss_and_grad(E, A, idx, targets):
    vocab = E.shape[0]
    count = idx.shape[0]
    S = one_hot(idx, vocab)  # (n, V) reads the table
    Y = one_hot(targets, vocab)  # (n, V)
    x = S @ E
    h = np.tanh(x @ A)
    scores = np.clip(h @ E.T, -50, 50)
    loss = (logsumexp(scores) - (scores * Y).sum(-1)).mean()

    d_scores = (softmax(scores) - Y) / count
    d_out = d_scores.T @ h
    d_h = d_scores @ E
    d_pre = d_h * (1.0 - h * h)
    d_x = d_pre @ A.T
    d_in = S.T @ d_x
    return loss, d_out + d_in
