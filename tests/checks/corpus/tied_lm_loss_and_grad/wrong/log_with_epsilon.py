# mistake: log(p + 1e-9) in the loss
# accept: epsilon; 1e-9; eps; small number; log(p +; small constant; added & log; clip; inside the log
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
    def forward(self, R, A):
        self.A = A
        self.out = np.tanh(R @ A)
        return self.out

    def backward(self, grad):
        return (grad * (1 - self.out**2)) @ self.A.T


class TiedHead:
    def forward(self, Hd, W):
        self.H, self.W = Hd, W
        return Hd @ W.T

    def backward(self, grad):
        return grad @ self.W, grad.T @ self.H


class CrossEntropy:
    def forward(self, Z, ctx):
        Z = Z - Z.max(1, keepdims=True)
        self.p = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
        self.y = ctx
        return float(-np.mean(np.log(self.p[np.arange(len(ctx)), ctx] + 1e-9)))

    def backward(self):
        g = self.p.copy()
        g[np.arange(len(self.y)), self.y] -= 1
        return g / len(self.y)


def tied_lm_loss_and_grad(E, A, idx, targets):
    emb, body, head, ce = Embedding(), TanhLinear(), TiedHead(), CrossEntropy()
    loss = ce.forward(head.forward(body.forward(emb.forward(E, idx), A), E), targets)
    dhid, dE = head.backward(ce.backward())
    return loss, dE + emb.backward(body.backward(dhid))
