"""The toy GPT of Lesson 14, with the weights that the lesson's source draws.

|V| = 50, T = 8, d = 64, h = 4, d_ff = 256, N = 4; sinusoidal positions, untied head, no biases,
layer norms without gain and bias. Same wiring as GPT-2, one sequence at a time, matrices named
as in the lesson's formulas. `gpt.py` is the real thing; this one is small enough to print.

Ids are 0-based here. The source counts ids and positions from 1: its ids are ours plus one, and
its position table starts at t = 1, which `sinusoidal_positions` keeps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from course_lib.layers import (
    Array,
    causal_attention,
    causal_mask,
    gelu,
    layer_norm,
    merge_heads,
    split_heads,
)
from course_lib.rustlab_random import RustlabRandom
from course_lib.validation import (
    require_array,
    require_heads,
    require_ids,
    require_int,
    require_mask,
    require_number,
)

TOY_IDS = np.array([6, 12, 6, 20, 12, 4, 8, 6])  # the source's 7, 13, 7, 21, 13, 5, 9, 7


@dataclass(frozen=True)
class ToyBlock:
    """The six matrices of one block, each (input, output)."""

    W_Q: Array  # (d, d)
    W_K: Array  # (d, d)
    W_V: Array  # (d, d)
    W_O: Array  # (d, d)
    W_1: Array  # (d, d_ff)
    W_2: Array  # (d_ff, d)


@dataclass(frozen=True)
class ToyGPT:
    """All weights of the toy: token table, position table, blocks, head."""

    E: Array  # (V, d)
    PE: Array  # (T, d)
    blocks: tuple[ToyBlock, ...]
    W_U: Array  # (d, V)
    n_head: int


def sinusoidal_positions(T: int, d: int) -> Array:
    """Return the (T, d) table of Vaswani et al. (2017), section 3.5, for positions 1 to T.

    Even columns are sines and odd ones cosines, of wavelengths from 2π to 10000·2π.

    Raises:
        TypeError, ValueError: T or d is no positive integer, or d is odd.
    """
    require_int("T", T)
    if require_int("d", d) % 2:
        raise ValueError(f"d must be even, one sine and one cosine a pair, got {d}")
    t = np.arange(1, T + 1)[:, None]  # (T, 1)
    angle = t / 10000 ** (np.arange(0, d, 2) / d)  # (T, d/2)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(T, d)


def lesson_14_toy(
    seed: int = 14, V: int = 50, T: int = 8, d: int = 64, n_head: int = 4, N: int = 4
) -> ToyGPT:
    """Draw the toy's weights in the source's order, 203,008 numbers for the sizes given.

    Each matrix is scaled for its own fan-in: 0.1 for the token table, 1/√d for attention and
    head, √(2/n_in) (He et al., 2015) for the two layers around the GELU.

    Raises:
        TypeError, ValueError: a size that is no positive integer, an odd d, an n_head that does
            not divide d, a seed that does not fit into 64 bits.
    """
    for name, size in {"V": V, "N": N}.items():
        require_int(name, size)
    PE = sinusoidal_positions(T, d)
    require_heads(d, n_head)
    random, d_ff = RustlabRandom(seed), 4 * d
    E = random.randn(V, d) * 0.1
    unit, he_in, he_out = 1 / math.sqrt(d), math.sqrt(2 / d), math.sqrt(2 / d_ff)
    blocks = tuple(
        ToyBlock(
            W_Q=random.randn(d, d) * unit,
            W_K=random.randn(d, d) * unit,
            W_V=random.randn(d, d) * unit,
            W_O=random.randn(d, d) * unit,
            W_1=random.randn(d, d_ff) * he_in,
            W_2=random.randn(d_ff, d) * he_out,
        )
        for _ in range(N)
    )
    return ToyGPT(E, PE, blocks, random.randn(d, V) * unit, n_head)


def toy_embed(model: ToyGPT, ids: ArrayLike) -> Array:
    """Return H⁰, the token rows plus the position rows: (T,) -> (T, d).

    Raises:
        TypeError, ValueError: ids out of range or no integers, none, or too many.
    """
    V, T_max = len(model.E), len(model.PE)
    tokens = require_ids("ids", ids, vocabulary=V, ndim=1, max_T=T_max)
    H: Array = model.E[tokens] + model.PE[: len(tokens)]
    return H


def toy_block(
    block: ToyBlock, H: Array, n_head: int, mask: Array, branch_scale: float = 1.0
) -> Array:
    """Return the residual stream after one pre-LN block: (T, d) -> (T, d).

    `branch_scale` multiplies what each of the two branches adds, as scaling W_O and W_2 would.
    """
    X = layer_norm(H)
    Q, K, V = (split_heads(X @ W, n_head) for W in (block.W_Q, block.W_K, block.W_V))
    H = H + merge_heads(causal_attention(Q, K, V, mask)) @ block.W_O * branch_scale
    H = H + gelu(layer_norm(H) @ block.W_1) @ block.W_2 * branch_scale
    return H  # noqa: RET504 - the two updates read alike


def toy_residual_stream(
    model: ToyGPT, ids: ArrayLike, mask: ArrayLike | None = None, branch_scale: float = 1.0
) -> list[Array]:
    """Return H⁰, H¹, …, Hᴺ, the residual stream before the first and after each block.

    Args:
        model: the weights.
        ids: token ids (T,), integers in [0, V), T at most 8 for the lesson's toy.
        mask: (T, T) to add to the scores; the causal mask unless given.
        branch_scale: 1, or 1/√(2N) for GPT-2's residual scaling.

    Raises:
        TypeError, ValueError: ids out of range or no integers, too long; a mask of another shape
            or with an entry above 0; a branch_scale that is no finite number.
    """
    scale = require_number("branch_scale", branch_scale)
    H = toy_embed(model, ids)
    T = len(H)
    added = causal_mask(T) if mask is None else require_mask("mask", mask, T)
    stream = [H]
    for block in model.blocks:
        stream.append(toy_block(block, stream[-1], model.n_head, added, scale))
    return stream


def toy_head(model: ToyGPT, H: ArrayLike) -> Array:
    """Return the logits: final layer norm, then W_U: (T, d) -> (T, V).

    Raises:
        TypeError, ValueError: an H of another shape, or not made of finite numbers.
    """
    H = require_array("H", H, ("T", model.W_U.shape[0]))
    logits: Array = layer_norm(H) @ model.W_U
    return logits


def toy_logits(
    model: ToyGPT, ids: ArrayLike, mask: ArrayLike | None = None, branch_scale: float = 1.0
) -> Array:
    """Run the whole toy: ids (T,) -> logits (T, V). Arguments as in `toy_residual_stream`."""
    return toy_head(model, toy_residual_stream(model, ids, mask, branch_scale)[-1])
