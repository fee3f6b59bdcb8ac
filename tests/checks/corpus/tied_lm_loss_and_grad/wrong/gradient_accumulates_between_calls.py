# mistake: the gradient buffer is a global that is never zeroed, later calls add to it
# accept: earlier call; previous call; accumul; state; second call; depends on; global; zero; buffer; several calls
# shows: state
import numpy as np


GRAD = {}


class Embedding:
    def forward(self, W, ids):
        self.shape, self.ids = W.shape, ids
        return W[ids]

    def backward(self, grad):
        dW = GRAD.setdefault(self.shape, np.zeros(self.shape))
        np.add.at(dW, self.ids, grad)
        return dW


class TanhLinear:
    def forward(self, H_in, A):
        self.A = A
        self.out = np.tanh(H_in @ A)
        return self.out

    def backward(self, grad):
        return (grad * (1 - self.out**2)) @ self.A.T


class TiedHead:
    def forward(self, hid, W):
        self.H, self.W = hid, W
        return hid @ W.T

    def backward(self, grad):
        return grad @ self.W, grad.T @ self.H


class CrossEntropy:
    def forward(self, Z, o):
        Z = Z - Z.max(1, keepdims=True)
        self.p = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
        self.y = o
        return float(np.mean(np.log(np.exp(Z).sum(1)) - Z[np.arange(len(o)), o]))

    def backward(self):
        g = self.p.copy()
        g[np.arange(len(self.y)), self.y] -= 1
        return g / len(self.y)


def tied_lm_loss_and_grad(E, A, idx, targets):
    emb, body, head, ce = Embedding(), TanhLinear(), TiedHead(), CrossEntropy()
    nll = ce.forward(head.forward(body.forward(emb.forward(E, idx), A), E), targets)
    dhid, dE = head.backward(ce.backward())
    return nll, dE + emb.backward(body.backward(dhid))
