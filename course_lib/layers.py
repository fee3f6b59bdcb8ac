"""The layers that every GPT is built from, each one a small function of arrays.

Every function takes any leading axes, so it serves one sequence (T, d) and a batch (B, T, d).
None changes its inputs; all keep the dtype they are given (float64, or float32). For that the
constants are Python floats: a NumPy float64 scalar would turn float32 arrays into float64.

Called by `gpt.py` (GPT-2), `toy_gpt.py` (the toy of Lesson 14) and `tied.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LAYER_NORM_EPS = 1e-5


def layer_norm(
    x: Array, g: Array | float = 1.0, b: Array | float = 0.0, eps: float = LAYER_NORM_EPS
) -> Array:
    """Normalise each vector over its d features, then apply the gain g and the bias b.

    Shapes: x (..., d), g and b (d,) or numbers; returns (..., d).
    Source: Ba et al. (2016), with the population variance (division by d, not d - 1).
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)  # (..., 1)
    variance[np.isinf(variance)] = np.nan  # where squares overflow, x / inf = 0 would look right
    out: Array = g * (centred / np.sqrt(variance + eps)) + b
    return out


def gelu(x: Array) -> Array:
    """Gate each number by (about) the share of a normal distribution below it.

    Shape kept. Source: Hendrycks & Gimpel (2016), the tanh form, which GPT-2 uses. It is within
    0.001 of the exact x·Φ(x), and that difference shows in the logits of a loaded checkpoint.
    """
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    out: Array = 0.5 * x * (1 + np.tanh(inner))
    return out


def softmax(z: Array) -> Array:
    """Turn scores into probabilities along the last axis.

    Shape kept; each row sums to 1. The largest score is subtracted first: the result is the
    same, and exp cannot overflow.
    """
    p: Array = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return p


def log_softmax(z: Array) -> Array:
    """Return the logarithm of `softmax`, also where the probability is too small for a float.

    Shape kept. np.log(softmax(z)) gives -inf as soon as a score is 746 below the largest.
    """
    z = z - z.max(axis=-1, keepdims=True)
    out: Array = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return out


def causal_mask(T: int, dtype: Any = np.float64) -> Array:
    """Return the (T, T) matrix to add to the scores: 0 where key j <= query t, else -inf."""
    return np.triu(np.full((T, T), -np.inf, dtype=dtype), k=1)


def split_heads(x: Array, n_head: int) -> Array:
    """Cut the features into heads: (..., T, d) -> (..., h, T, d_k), a view.

    Head i owns the columns i·d_k to (i+1)·d_k. Reshaping straight to (..., h, T, d_k) also runs
    and has the right shape, but it mixes positions with features: swap the axes instead.
    """
    *batch, T, d = x.shape
    return x.reshape(*batch, T, n_head, d // n_head).swapaxes(-3, -2)


def merge_heads(heads: Array) -> Array:
    """Join the heads again: (..., h, T, d_k) -> (..., T, d), the inverse of `split_heads`."""
    *batch, h, T, d_k = heads.shape
    return heads.swapaxes(-3, -2).reshape(*batch, T, h * d_k)


def attention_weights(Q: Array, K: Array, mask: Array) -> Array:
    """Return how much each query attends to each key.

    Shapes: Q and K (..., T, d_k), mask (T, T) added to the scores; returns (..., T, T), rows
    summing to 1. Source: Vaswani et al. (2017), section 3.2.1; the scale is 1/√d_k, the head's
    size, so that scores of unit-variance queries and keys have unit variance.
    """
    scores = Q @ K.swapaxes(-1, -2)  # (..., T, T)
    scores *= 1 / math.sqrt(Q.shape[-1])
    scores += mask
    return softmax(scores)


def causal_attention(Q: Array, K: Array, V: Array, mask: Array | None = None) -> Array:
    """Mix the values of each position and those before it, by the match of query and keys.

    Shapes: Q, K and V (..., T, d_k); returns (..., T, d_k). The mask is the causal one unless
    another is given (the causality lesson breaks it on purpose).
    """
    if mask is None:
        mask = causal_mask(Q.shape[-2], Q.dtype)
    return attention_weights(Q, K, mask) @ V
