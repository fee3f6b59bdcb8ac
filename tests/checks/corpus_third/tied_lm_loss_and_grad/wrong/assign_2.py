# mistake: grad_in[idx] = dx loses repeated ids
# accept: repeat; add.at; more than once; several times; occurs twice; overwrit
import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def tied_lm_loss_and_grad(E, A, idx, targets):
    N = idx.shape[0]
    rows = np.arange(N)
    vocab = E.shape[0]
    hidden = np.tanh(np.dot(E[idx], A))
    scores = np.dot(hidden, E.T)
    shifted = scores - scores.max(1)[:, None]
    losses = np.log(np.exp(shifted).sum(1)) - shifted[rows, targets]
    loss = float(losses.sum() / N)

    probs = softmax(scores)
    one_hot = np.eye(vocab)[targets]
    G = (probs - one_hot) / N

    grad_out = np.dot(G.T, hidden)
    dhidden = np.dot(G, E)
    dpre = dhidden * (1 - hidden * hidden)
    dx = np.dot(dpre, A.T)
    grad_in = np.zeros_like(E)
    grad_in[idx] = dx
    return loss, grad_out + grad_in
