"""Habits of other models that slip into GPT-2. How to add one: __init__.py."""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2, Block
from course_lib.checks.side_by_side import Pieces

LESSON = "01_forward_pass, scaled dot-product attention"
BLOCK = "01_forward_pass, the block"
Array = Any  # NDArray; a wrong variant may return anything


def _rotated(x: Array, halves: bool, even: bool) -> Array:
    """Turn pairs of features of (B, h, T, d_k) by the position; an odd feature stays."""
    T, d_k = x.shape[-2:]
    n = d_k // 2
    width = max(2 * n, 1) if even else d_k
    angle = np.arange(T)[:, None] / 10000 ** (2 * np.arange(n) / width)  # (T, d_k // 2)
    one, two = (
        (slice(0, n), slice(n, 2 * n)) if halves else (slice(0, 2 * n, 2), slice(1, 2 * n, 2))
    )
    out = x.copy()
    out[..., one] = x[..., one] * np.cos(angle) - x[..., two] * np.sin(angle)
    out[..., two] = x[..., two] * np.cos(angle) + x[..., one] * np.sin(angle)
    return out


def _rotary(halves: bool, even: bool) -> Pieces:
    return {"scores": lambda m, q, k: GPT2.scores(
        m, _rotated(q, halves, even), _rotated(k, halves, even))}  # fmt: skip


_NO_POSITIONS: Pieces = {"position_rows": lambda m, idx: 0.0}


def _distance(m: GPT2) -> Array:
    return np.arange(m.T)[:, None] - np.arange(m.T)  # (T, T), query minus key


def _penalty(slopes: Any, sign: float = -1.0) -> Pieces:
    return {"mask": lambda m, s: GPT2.mask(
        m, s + sign * np.reshape(slopes(m), (-1, 1, 1)) * _distance(m))}  # fmt: skip


_SLOPES = (
    lambda m: 2.0 ** (-8 * np.arange(1, m.h + 1) / m.h),
    lambda m: 2.0 ** -np.arange(1, m.h + 1),
    lambda m: 2.0 ** (-8 * np.arange(m.h) / m.h),
    lambda m: 1.0,
    lambda m: 0.1,
    lambda m: 0.5,
    lambda m: 0.01,
)


def _shared(which: int, keys: bool, values: bool) -> Pieces:
    def share(x: Array, wanted: bool) -> Array:
        return np.broadcast_to(x[:, which, None], x.shape) if wanted else x

    return {"attend": lambda m, q, k, v: GPT2.attend(m, q, share(k, keys), share(v, values))}


def _averaged(m: GPT2, q: Array, k: Array, v: Array) -> Array:
    return GPT2.attend(m, q, k.mean(axis=1, keepdims=True), v.mean(axis=1, keepdims=True))


def _grouped(m: GPT2, q: Array, k: Array, v: Array) -> Array:
    group = np.arange(m.h) // 2 * 2
    return GPT2.attend(m, q, k[:, group], v[:, group])


def _post(m: GPT2, b: Block, x: Array) -> Array:
    x = m.norm1(b, x + m.attention(b, x))
    return m.norm2(b, x + m.mlp(b, x))


def _post_pre(m: GPT2, b: Block, x: Array) -> Array:
    x = m.norm1(b, x + m.attention(b, m.norm1(b, x)))
    return m.norm2(b, x + m.mlp(b, m.norm2(b, x)))


def _padded(fill: float, key: Any) -> Pieces:
    def mask(m: GPT2, s: Array) -> Array:
        return np.where(key(m)[:, None, None, :], fill, GPT2.mask(m, s))

    return {"mask": mask}


def _no_padding_row(m: GPT2, idx: Array, pad: int) -> Array:
    return m.P["wte"][idx] * (idx != pad)[..., None]


SWITCHES = (
    switch(
        "rotary", "Queries and keys are rotated by their position (RoPE)",
        "Rotary position embedding belongs to later models. GPT-2 adds wpe to the embedding and "
        "leaves queries and keys as they are.",
        LESSON, "scores",
        *(_rotary(halves, even) for halves in (True, False) for even in (True, False)),
        *({**_rotary(halves, even), **_NO_POSITIONS}
          for halves in (True, False) for even in (True, False)),
    ),
    switch(
        "alibi", "A bias that depends on the distance is added to the scores (ALiBi)",
        "GPT-2's scores are q·k/√d_k and nothing else: positions enter through wpe.",
        LESSON, "scores",
        *(_penalty(slopes) for slopes in _SLOPES), *(_penalty(s, 1.0) for s in _SLOPES[:1]),
        *({**_penalty(slopes), **_NO_POSITIONS} for slopes in _SLOPES[:2]),
    ),
    switch(
        "multi_query", "All heads share the keys and values of one head (multi-query attention)",
        "In GPT-2 each head has queries, keys and values of its own. Look at the index of the head "
        "on k and v.",
        LESSON, "heads",
        _shared(0, True, True), _shared(0, True, False), _shared(0, False, True),
        _shared(-1, True, True), _shared(-1, True, False), _shared(-1, False, True),
        {"attend": _averaged}, {"attend": _grouped},
    ),
    switch(
        "gpt1_recipe", "The layer norms come after the residuals, with none at the end (GPT-1)",
        "GPT-2 moved them: each sublayer reads a normalised x, x + f(LN(x)), and the final layer "
        "norm lnf stands before the head.",
        BLOCK, "whole",
        {"transformer_block": _post, "norm_final": lambda m, x: x},
        {"transformer_block": _post_pre, "norm_final": lambda m, x: x},
        {"transformer_block": _post_pre},
    ),
    switch(
        "attention_activated", "An activation (GELU) is applied to the attention output as well",
        "GELU stands between the two matrices of the MLP and nowhere else.",
        BLOCK, "heads",
        {"project": lambda m, b, y: m.gelu(GPT2.project(m, b, y))},
        {"project": lambda m, b, y: GPT2.project(m, b, m.gelu(y))},
        {"attend": lambda m, q, k, v: GPT2.attend(m, q, k, m.gelu(v))},
        {"qkv": lambda m, b, x: m.gelu(GPT2.qkv(m, b, x))},
        {"project": lambda m, b, y: np.maximum(GPT2.project(m, b, y), 0)},
        {"project": lambda m, b, y: np.tanh(GPT2.project(m, b, y))},
    ),
    switch(
        "mlp_output_activated", "An activation follows w_proj, at the end of the MLP",
        "The MLP ends with a linear layer: hidden @ w_proj + b_proj.",
        BLOCK, "mlp",
        {"mlp_out": lambda m, b, x: np.maximum(GPT2.mlp_out(m, b, x), 0)},
        {"mlp_out": lambda m, b, x: np.tanh(GPT2.mlp_out(m, b, x))},
    ),
    switch(
        "scores_capped", "The scores are capped by a tanh (soft-capping)",
        "Gemma does that. GPT-2's scores are q·k/√d_k; subtract the row's maximum for stability.",
        LESSON, "loud",
        *({"mask": lambda m, s, c=c: GPT2.mask(m, c * np.tanh(s / c))} for c in (50, 30, 20, 10)),
        *({"mask": lambda m, s, c=c: c * np.tanh(GPT2.mask(m, s) / c)} for c in (50, 30)),
    ),
    switch(
        "logits_capped", "The logits are capped by a tanh (soft-capping)",
        "Gemma does that. GPT-2's logits are x @ wte.T.",
        "01_forward_pass, the head", "embed",
        *({"head": lambda m, x, c=c: c * np.tanh(GPT2.head(m, x) / c)} for c in (30, 50, 15, 10)),
    ),
    switch(
        "padding", "A token id is treated as padding",
        "GPT-2 has no padding token: id 0 (and every other) is a token like all others, seen as a "
        "key and with a row of its own.",
        "02_causality, the mask", "mask",
        *(_padded(fill, key) for key in (lambda m: m.idx == 0, lambda m: m.idx == m.V - 1)
          for fill in (-np.inf, -1e9)),
        *({"token_rows": lambda m, idx, p=p: _no_padding_row(m, idx, p % m.V)} for p in (0, -1)),
        {**_padded(-np.inf, lambda m: m.idx == 0),
         "softmax": lambda m, s: np.nan_to_num(GPT2.softmax(m, s))},
        {"result": lambda m, z: z * (m.idx != 0)[..., None]},
    ),
)  # fmt: skip
