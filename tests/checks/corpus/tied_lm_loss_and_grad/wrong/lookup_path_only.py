# mistake: only the gradient through the lookup, the head path is missing
# accept: head$; output path; output side; only the lookup; path & missing
import numpy as np


class Embedding:
    def forward(self, W, ids):
        self.shape, self.ids = W.shape, ids
        return W[ids]

    def backward(self, grad):
        dW = np.zeros(self.shape)
        np.add.at(dW, self.ids, grad)
        return dW


class TanhLinear:
    def forward(self, Xs, A):
        self.A = A
        self.out = np.tanh(Xs @ A)
        return self.out

    def backward(self, grad):
        return (grad * (1 - self.out**2)) @ self.A.T


class TiedHead:
    def forward(self, H, W):
        self.H, self.W = H, W
        return H @ W.T

    def backward(self, grad):
        return grad @ self.W, grad.T @ self.H


class CrossEntropy:
    def forward(self, scores, o):
        scores = scores - scores.max(1, keepdims=True)
        self.p = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        self.y = o
        return float(np.mean(np.log(np.exp(scores).sum(1)) - scores[np.arange(len(o)), o]))

    def backward(self):
        g = self.p.copy()
        g[np.arange(len(self.y)), self.y] -= 1
        return g / len(self.y)


def tied_lm_loss_and_grad(E, A, idx, targets):
    emb, body, head, ce = Embedding(), TanhLinear(), TiedHead(), CrossEntropy()
    L_mean = ce.forward(head.forward(body.forward(emb.forward(E, idx), A), E), targets)
    dhid, dE = head.backward(ce.backward())
    return L_mean, emb.backward(body.backward(dhid))
