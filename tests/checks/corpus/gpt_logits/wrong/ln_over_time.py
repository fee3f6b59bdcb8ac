# mistake: LayerNorm normalises over the positions (axis 1), not over the features
# accept: wrong axis; over the positions; over positions; over T; axis 1; axis=1; axis = 1; time; sequence axis; feature; LayerNorm & axis
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def layer_norm(x: Array, g: Array, b: Array, eps: float = 1e-5) -> Array:
    assert x.shape[-1] == g.shape[0] == b.shape[0]
    mu: Array = x.mean(axis=1, keepdims=True)
    var: Array = x.var(axis=1, keepdims=True)
    return g * (x - mu) / np.sqrt(var + eps) + b


def gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def causal_softmax(scores: Array) -> Array:
    t = scores.shape[-1]
    assert scores.shape[-2] == t
    scores = np.where(np.tri(t, dtype=bool), scores, -np.inf)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


def gpt_logits(P: dict[str, Any], idx: NDArray[np.int64], n_head: int) -> Array:
    assert idx.ndim == 2, "idx must be (B, T)"
    bs, T = idx.shape
    d: int = P["wte"].shape[1]
    assert d % n_head == 0, "n_head must divide d"
    assert T <= len(P["wpe"]), "sequence longer than the context"
    x: Array = P["wte"][idx] + P["wpe"][:T]
    for prm in P["blocks"]:
        qkv = layer_norm(x, prm["ln1_g"], prm["ln1_b"]) @ prm["w_qkv"] + prm["b_qkv"]
        Qh, k, vs = qkv.reshape(bs, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        heads = causal_softmax(Qh @ k.transpose(0, 1, 3, 2) / math.sqrt(d // n_head)) @ vs
        x = x + heads.transpose(0, 2, 1, 3).reshape(bs, T, d) @ prm["w_o"] + prm["b_o"]
        hidden = gelu_tanh(layer_norm(x, prm["ln2_g"], prm["ln2_b"]) @ prm["w_fc"] + prm["b_fc"])
        x = x + hidden @ prm["w_proj"] + prm["b_proj"]
    out: Array = layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
    assert out.shape == (bs, T, P["wte"].shape[0])
    return out
