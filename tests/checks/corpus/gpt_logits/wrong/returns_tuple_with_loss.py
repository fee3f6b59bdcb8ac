# mistake: returns (logits, None), as nanoGPT's forward returns logits and loss
# accept: tuple; two values; pair; array; type; (logits
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def norm(x: Array, g: Array, b: Array, eps: float = 1e-5) -> Array:
    assert x.shape[-1] == g.shape[0] == b.shape[0]
    avg: Array = x.mean(axis=-1, keepdims=True)
    s2: Array = x.var(axis=-1, keepdims=True)
    return g * (x - avg) / np.sqrt(s2 + eps) + b


def gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def causal_softmax(sims: Array) -> Array:
    t = sims.shape[-1]
    assert sims.shape[-2] == t
    sims = np.where(np.tri(t, dtype=bool), sims, -np.inf)
    sims = np.exp(sims - sims.max(axis=-1, keepdims=True))
    return sims / sims.sum(axis=-1, keepdims=True)


def gpt_logits(P: dict[str, Any], idx: NDArray[np.int64], n_head: int) -> Array:
    assert idx.ndim == 2, "idx must be (B, T)"
    bs, T = idx.shape
    d: int = P["wte"].shape[1]
    assert d % n_head == 0, "n_head must divide d"
    assert T <= len(P["wpe"]), "sequence longer than the context"
    x: Array = P["wte"][idx] + P["wpe"][:T]
    for blk in P["blocks"]:
        qkv = norm(x, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"]
        q, k, vs = qkv.reshape(bs, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        heads = causal_softmax(q @ k.transpose(0, 1, 3, 2) / math.sqrt(d // n_head)) @ vs
        x = x + heads.transpose(0, 2, 1, 3).reshape(bs, T, d) @ blk["w_o"] + blk["b_o"]
        hidden = gelu_tanh(norm(x, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"])
        x = x + hidden @ blk["w_proj"] + blk["b_proj"]
    out: Array = norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
    assert out.shape == (bs, T, P["wte"].shape[0])
    loss = None
    return out, loss
