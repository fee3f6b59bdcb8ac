"""The tied miniature model and its gradient, cut into methods that a switch can replace.

`course_lib.tied` is the reference that students see; a test holds this one to it.
"""

# ruff: noqa: D102 - each method is one line of the derivation in lesson 6
from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # NDArray; a wrong variant may return anything


class TiedModel:
    """X = E[idx], H = tanh(XA), Z = HEᵀ, mean cross-entropy; and dE through both ends."""

    def answer(self, E: Array, A: Array, idx: Array, targets: Array) -> Any:
        self.E, self.A, self.idx, self.targets = E, A, idx, targets
        self.n, (self.V, self.d) = len(idx), E.shape
        self.X = self.lookup()  # (n, d)
        self.pre = self.X @ self.A  # (n, d)
        self.H = self.activation(self.pre)  # (n, d)
        Z = self.scores(self.H)  # (n, V)
        loss = self.loss(Z)
        dZ = self.score_gradient(Z)  # (n, V)
        head = self.through_head(dZ)  # (V, d)
        return self.result(loss, self.total(head, self.through_lookup(dZ)))

    # ------------------------------------------------------------ forward

    def lookup(self) -> Array:
        return self.E[self.idx]

    def activation(self, pre: Array) -> Array:
        return np.tanh(pre)

    def scores(self, H: Array) -> Array:
        return H @ self.E.T

    def loss(self, Z: Array) -> Any:
        return float(self.reduce(self.losses(Z)))

    def losses(self, Z: Array) -> Array:
        return self.log_sum(Z) - Z[np.arange(self.n), self.targets]  # (n,)

    def log_sum(self, Z: Array) -> Array:
        top = Z.max(axis=1)
        return top + np.log(np.exp(Z - top[:, None]).sum(axis=1))

    def reduce(self, losses: Array) -> Any:
        return losses.mean()

    # ------------------------------------------------------------ backward

    def softmax(self, Z: Array) -> Array:
        weights = np.exp(Z - Z.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def one_hot(self) -> Array:
        hot = np.zeros((self.n, self.V))
        hot[np.arange(self.n), self.targets] = 1
        return hot

    def score_gradient(self, Z: Array) -> Array:
        return (self.softmax(Z) - self.one_hot()) / self.share()

    def share(self) -> float:
        return self.n

    def through_head(self, dZ: Array) -> Array:
        return dZ.T @ self.H

    def hidden_gradient(self, dZ: Array) -> Array:
        return dZ @ self.E

    def slope(self) -> Array:
        return 1 - self.H**2

    def input_gradient(self, dZ: Array) -> Array:
        return (self.hidden_gradient(dZ) * self.slope()) @ self.A.T

    def through_lookup(self, dZ: Array) -> Array:
        return self.scatter(self.input_gradient(dZ))

    def scatter(self, dX: Array) -> Array:
        out = np.zeros_like(self.E)
        np.add.at(out, self.idx, dX)
        return out

    def total(self, head: Array, lookup: Array) -> Array:
        return head + lookup

    def result(self, loss: Any, dE: Array) -> Any:
        return loss, dE
