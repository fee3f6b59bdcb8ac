# mistake: masked scores are filled with 0 rather than -inf
# accept: multipl; zero; set to 0; exp(0); score 0; fill; instead of -inf; instead of −inf; with 0; by 0
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def LN(x: Array, g: Array, b: Array, eps: float = 1e-5) -> Array:
    assert x.shape[-1] == g.shape[0] == b.shape[0]
    mean: Array = x.mean(axis=-1, keepdims=True)
    var: Array = x.var(axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(var + eps) + b


def gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def causal_softmax(att: Array) -> Array:
    t = att.shape[-1]
    assert att.shape[-2] == t
    att = np.where(np.tri(t, dtype=bool), att, 0.0)
    att = np.exp(att - att.max(axis=-1, keepdims=True))
    return att / att.sum(axis=-1, keepdims=True)


def gpt_logits(P: dict[str, Any], idx: NDArray[np.int64], n_head: int) -> Array:
    assert idx.ndim == 2, 'idx must be (B, T)'
    B, T = idx.shape
    C: int = P['wte'].shape[1]
    assert C % n_head == 0, 'n_head must divide d'
    assert T <= len(P['wpe']), 'sequence longer than the context'
    x: Array = P['wte'][idx] + P['wpe'][:T]
    for p in P['blocks']:
        qkv = LN(x, p['ln1_g'], p['ln1_b']) @ p['w_qkv'] + p['b_qkv']
        Qh, key, v = qkv.reshape(B, T, 3, n_head, C // n_head).transpose(2, 0, 3, 1, 4)
        heads = causal_softmax(Qh @ key.transpose(0, 1, 3, 2) / math.sqrt(C // n_head)) @ v
        x = x + heads.transpose(0, 2, 1, 3).reshape(B, T, C) @ p['w_o'] + p['b_o']
        hidden = gelu_tanh(LN(x, p['ln2_g'], p['ln2_b']) @ p['w_fc'] + p['b_fc'])
        x = x + hidden @ p['w_proj'] + p['b_proj']
    out: Array = LN(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
    assert out.shape == (B, T, P['wte'].shape[0])
    return out
