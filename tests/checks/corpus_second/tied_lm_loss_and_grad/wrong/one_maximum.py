# mistake: one maximum for all rows
# accept: one maximum; each row; own row; each row's own; same maximum; single maximum; whole array; global maximum
from __future__ import annotations

import numpy as np


class Layer:
    """Forward keeps what backward needs."""


class Lookup(Layer):
    def forward(self, table, ids):
        self.shape, self.ids = table.shape, ids
        return table[ids]

    def backward(self, dout):
        grad = np.zeros(self.shape)
        for row, i in enumerate(self.ids):
            grad[i] += dout[row]
        return grad


class TanhLinear(Layer):
    def forward(self, x, w):
        self.w = w
        self.out = np.tanh(np.dot(x, w))
        return self.out

    def backward(self, dout):
        dpre = dout * (1.0 - self.out ** 2)
        return np.dot(dpre, self.w.T)


class Scores(Layer):
    def forward(self, h, table):
        self.h, self.table = h, table
        return np.dot(h, table.T)

    def backward(self, dout):
        return np.dot(dout, self.table), np.dot(dout.T, self.h)


class SoftmaxWithLoss(Layer):
    def forward(self, z, t):
        self.t = t
        shifted = z - np.max(z)
        norm = np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
        logp = shifted - norm
        self.y = np.exp(logp)
        picked = logp[np.arange(len(t)), t]
        return -np.mean(picked)

    def backward(self):
        size = self.t.shape[0]
        dz = self.y.copy()
        dz[np.arange(size), self.t] -= 1
        dz = dz / size
        return dz


def tied_lm_loss_and_grad(E, A, idx, targets):
    lookup, hidden, scores, last = Lookup(), TanhLinear(), Scores(), SoftmaxWithLoss()
    x = lookup.forward(E, idx)
    h = hidden.forward(x, A)
    z = scores.forward(h, E)
    loss = last.forward(z, targets)

    dz = last.backward()
    dh, dE_out = scores.backward(dz)
    dx = hidden.backward(dh)
    dE_in = lookup.backward(dx)
    dE = dE_in + dE_out
    return loss, dE
