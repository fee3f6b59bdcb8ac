# mistake: the softmax normalises across heads (axis 1)
# accept: heads; wrong axis; axis 1; axis=1; axis = 1; axis of the softmax; softmax axis
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arr = NDArray[np.float64]


def layer_norm(x: Arr, g: Arr, b: Arr, eps: float = 1e-5) -> Arr:
    assert x.shape[-1] == g.shape[0] == b.shape[0]
    avg: Arr = x.mean(axis=-1, keepdims=True)
    variance: Arr = x.var(axis=-1, keepdims=True)
    return g * (x - avg) / np.sqrt(variance + eps) + b


def gelu_tanh(x: Arr) -> Arr:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def causal_softmax(att: Arr) -> Arr:
    t = att.shape[-1]
    assert att.shape[-2] == t
    att = np.where(np.tri(t, dtype=bool), att, -np.inf)
    att = np.exp(att - att[..., :1].max(axis=-1, keepdims=True))
    count = att.sum(axis=1, keepdims=True)
    return np.divide(att, count, out=np.zeros_like(att), where=count > 0)


def gpt_logits(P: dict[str, Any], idx: NDArray[np.int64], n_head: int) -> Arr:
    assert idx.ndim == 2, "idx must be (B, T)"
    nb, n_tok = idx.shape
    dm: int = P["wte"].shape[1]
    assert dm % n_head == 0, "n_head must divide d"
    assert n_tok <= len(P["wpe"]), "sequence longer than the context"
    x: Arr = P["wte"][idx] + P["wpe"][:n_tok]
    for layer in P["blocks"]:
        qkv = layer_norm(x, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"]
        q, key, v = qkv.reshape(nb, n_tok, 3, n_head, dm // n_head).transpose(2, 0, 3, 1, 4)
        heads = causal_softmax(q @ key.transpose(0, 1, 3, 2) / math.sqrt(dm // n_head)) @ v
        x = x + heads.transpose(0, 2, 1, 3).reshape(nb, n_tok, dm) @ layer["w_o"] + layer["b_o"]
        hidden = gelu_tanh(layer_norm(x, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"])
        x = x + hidden @ layer["w_proj"] + layer["b_proj"]
    out: Arr = layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
    assert out.shape == (nb, n_tok, P["wte"].shape[0])
    return out
