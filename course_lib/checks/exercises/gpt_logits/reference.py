"""GPT-2 cut into small methods, so that a switch can replace any one of them.

`course_lib.gpt.gpt_logits` is the reference that students see; a test holds this one to it. Each
method here is one box, or one choice inside a box, of the diagram. `self` carries what a wrong
choice might look at: P, h, the sizes, and the index `layer` of the running block.
"""

# ruff: noqa: D102 - each method is one box of the diagram, or one choice inside a box
from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any  # NDArray; a wrong variant may return anything
Block = dict[str, Array]


class GPT2:
    """The forward pass of GPT-2, right in every piece."""

    eps = 1e-5

    def answer(self, P: dict[str, Any], idx: Array, n_head: int) -> Any:
        self.P, self.idx, self.h, self.layer = P, idx, n_head, 0
        self.all_idx = idx  # idx, and B, are those of a part when variants run side by side
        self.B, self.T = idx.shape
        self.V, self.d = P["wte"].shape
        x = self.embed(idx)  # (B, T, d)
        for block in self.blocks():
            x = self.transformer_block(block, x)  # (B, T, d)
            self.layer += 1
        x = self.norm_final(x)  # (B, T, d)
        return self.result(self.head(x))  # (B, T, V)

    # ------------------------------------------------------------ embedding

    def embed(self, idx: Array) -> Array:
        return self.token_rows(idx) + self.position_rows(idx)

    def token_rows(self, idx: Array) -> Array:
        return self.P["wte"][idx]  # (B, T, d)

    def position_rows(self, idx: Array) -> Array:
        return self.P["wpe"][: self.T]  # (T, d)

    # ------------------------------------------------------------ wiring of the blocks

    def blocks(self) -> Any:
        return self.P["blocks"]

    def transformer_block(self, block: Block, x: Array) -> Array:
        x = self.residual(x, self.attention(block, self.norm1(block, x)))
        return self.residual(x, self.mlp(block, self.norm2(block, x)))

    def residual(self, x: Array, branch: Array) -> Array:
        return x + branch

    # ------------------------------------------------------------ layer norm

    def norm1(self, block: Block, x: Array) -> Array:
        return self.layer_norm(x, block["ln1_g"], block["ln1_b"])

    def norm2(self, block: Block, x: Array) -> Array:
        return self.layer_norm(x, block["ln2_g"], block["ln2_b"])

    def norm_final(self, x: Array) -> Array:
        return self.layer_norm(x, self.P["lnf_g"], self.P["lnf_b"])

    def layer_norm(self, x: Array, g: Array, b: Array) -> Array:
        return self.affine(self.normalise(x), g, b)

    def normalise(self, x: Array) -> Array:
        mean = self.mean(x)
        return self.centre(x, mean) / self.deviation(self.variance(x, mean))

    def mean(self, x: Array) -> Array:
        return x.mean(axis=-1, keepdims=True)

    def centre(self, x: Array, mean: Array) -> Array:
        return x - mean

    def variance(self, x: Array, mean: Array) -> Array:
        return ((x - mean) ** 2).mean(axis=-1, keepdims=True)

    def deviation(self, variance: Array) -> Array:
        return np.sqrt(variance + self.eps)

    def affine(self, n: Array, g: Array, b: Array) -> Array:
        return g * n + b

    # ------------------------------------------------------------ attention

    def attention(self, block: Block, x: Array) -> Array:
        q, k, v = self.queries_keys_values(block, x)  # (B, h, T, d_k)
        heads = self.attend(q, k, v)  # (B, h, T, d_k)
        return self.project(block, self.merge_heads(heads))  # (B, T, d)

    def queries_keys_values(self, block: Block, x: Array) -> tuple[Array, Array, Array]:
        q, k, v = self.split_qkv(self.qkv(block, x))
        return self.split_heads(q), self.split_heads(k), self.split_heads(v)

    def qkv(self, block: Block, x: Array) -> Array:
        return x @ block["w_qkv"] + block["b_qkv"]  # (B, T, 3d)

    def split_qkv(self, qkv: Array) -> Any:
        return np.split(qkv, 3, axis=-1)  # three of (B, T, d)

    def split_heads(self, x: Array) -> Array:
        return x.reshape(self.B, self.T, self.h, self.d // self.h).transpose(0, 2, 1, 3)

    def merge_heads(self, heads: Array) -> Array:
        return heads.transpose(0, 2, 1, 3).reshape(self.B, self.T, self.d)

    def project(self, block: Block, merged: Array) -> Array:
        return merged @ block["w_o"] + block["b_o"]

    def attend(self, q: Array, k: Array, v: Array) -> Array:
        weights = self.softmax(self.mask(self.scores(q, k) * self.scale(q.shape[-1])))
        return self.mix(weights, v)

    def scores(self, q: Array, k: Array) -> Array:
        return q @ k.swapaxes(-1, -2)  # (B, h, T, T)

    def scale(self, d_k: int) -> float:
        return 1 / math.sqrt(d_k)

    def mask(self, scores: Array) -> Array:
        return np.where(self.visible(scores.shape[-2]), scores, -np.inf)

    def visible(self, T: int) -> Array:
        return np.tril(np.ones((T, T), bool))

    def softmax(self, scores: Array) -> Array:
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    def mix(self, weights: Array, v: Array) -> Array:
        return weights @ v

    # ------------------------------------------------------------ MLP

    def mlp(self, block: Block, x: Array) -> Array:
        return self.mlp_out(block, self.gelu(self.mlp_in(block, x)))

    def mlp_in(self, block: Block, x: Array) -> Array:
        return x @ block["w_fc"] + block["b_fc"]  # (B, T, 4d)

    def gelu(self, x: Array) -> Array:
        cubic = x + 0.044715 * (x * x * x)  # x**3 takes ten times as long
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * cubic))

    def mlp_out(self, block: Block, hidden: Array) -> Array:
        return hidden @ block["w_proj"] + block["b_proj"]

    # ------------------------------------------------------------ head

    def head(self, x: Array) -> Array:
        return x @ self.P["wte"].T

    def result(self, logits: Array) -> Any:
        return logits
