# mistake: the 1/√(2L) of the initialisation is applied to the sublayer outputs in the forward pass
# accept: 2L; residual & scal; 1/√(2L); initialis; √(2L); √2L; sublayer & scal; branch & scal
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def norm(stream: Array, g: Array, b: Array, eps: float = 1e-5) -> Array:
    assert stream.shape[-1] == g.shape[0] == b.shape[0]
    avg: Array = stream.mean(axis=-1, keepdims=True)
    variance: Array = stream.var(axis=-1, keepdims=True)
    return g * (stream - avg) / np.sqrt(variance + eps) + b


def gelu_tanh(stream: Array) -> Array:
    return 0.5 * stream * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (stream + 0.044715 * stream**3)))


def causal_softmax(sims: Array) -> Array:
    t = sims.shape[-1]
    assert sims.shape[-2] == t
    sims = np.where(np.tri(t, dtype=bool), sims, -np.inf)
    sims = np.exp(sims - sims.max(axis=-1, keepdims=True))
    return sims / sims.sum(axis=-1, keepdims=True)


def gpt_logits(P: dict[str, Any], idx: NDArray[np.int64], n_head: int) -> Array:
    assert idx.ndim == 2, 'idx must be (B, T)'
    nb, T = idx.shape
    d: int = P['wte'].shape[1]
    assert d % n_head == 0, 'n_head must divide d'
    assert T <= len(P['wpe']), 'sequence longer than the context'
    stream: Array = P['wte'][idx] + P['wpe'][:T]
    r = 1.0 / math.sqrt(2 * len(P['blocks']))
    for p in P['blocks']:
        qkv = norm(stream, p['ln1_g'], p['ln1_b']) @ p['w_qkv'] + p['b_qkv']
        Qh, k, value = qkv.reshape(nb, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        heads = causal_softmax(Qh @ k.transpose(0, 1, 3, 2) / math.sqrt(d // n_head)) @ value
        stream = stream + r * (heads.transpose(0, 2, 1, 3).reshape(nb, T, d) @ p['w_o'] + p['b_o'])
        hidden = gelu_tanh(norm(stream, p['ln2_g'], p['ln2_b']) @ p['w_fc'] + p['b_fc'])
        stream = stream + r * (hidden @ p['w_proj'] + p['b_proj'])
    out: Array = norm(stream, P['lnf_g'], P['lnf_b']) @ P['wte'].T
    assert out.shape == (nb, T, P['wte'].shape[0])
    return out
