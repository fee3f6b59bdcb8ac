# mistake: tanh' is computed from the pre-activation, 1 - (XA)², not from its output
# accept: pre activation; tanh'; tanh′; derivative of tanh; tanh derivative; before the tanh; slope; argument; input of the tanh; xa; derivative of the tanh; tanh & derivative; 1 - h²; tanh & gradient
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
    def forward(self, H_in, A):
        self.A, self.pre = A, H_in @ A
        self.out = np.tanh(H_in @ A)
        return self.out

    def backward(self, grad):
        return (grad * (1 - self.pre**2)) @ self.A.T


class TiedHead:
    def forward(self, Hd, W):
        self.H, self.W = Hd, W
        return Hd @ W.T

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
    dH, dE = head.backward(ce.backward())
    return nll, dE + emb.backward(body.backward(dH))
