"""Mistakes in the scores, their scale, the softmax and the mix. How to add one: __init__.py."""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2

LESSON = "01_forward_pass, scaled dot-product attention"
PART = "scores"
STABLE = "01_forward_pass, a stable softmax"
Array = Any  # NDArray; a wrong variant may return anything


CAPS = (50, 100, 500, 700, 30, 20, 10, 80, 88, 60, 5, 1000, 709)


def _unscaled_after(m: GPT2, q: Array, k: Array, v: Array) -> Array:
    return m.mix(m.softmax(m.mask(m.scores(q, k))) * m.scale(q.shape[-1]), v)


def _softmax_filled(axis: Any) -> dict[str, Any]:
    """Take the softmax along an axis, with a finite fill: a row of hidden entries is a mean."""

    def softmax(m: GPT2, s: Array) -> Array:
        s = np.where(np.isinf(s), -1e9, s)
        w = np.exp(s - s.max(axis=axis, keepdims=True))
        return w / w.sum(axis=axis, keepdims=True)

    return {"softmax": softmax}


def _summed_along(axis: Any) -> dict[str, Any]:
    """Subtract each row's maximum, but sum along another axis."""

    def softmax(m: GPT2, s: Array) -> Array:
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=axis, keepdims=True)

    return {"softmax": softmax}


def _shifted_along(axis: Any, by: str) -> dict[str, Any]:
    """Sum along another axis; subtract nothing before, or each row's first score."""

    def softmax(m: GPT2, s: Array) -> Array:
        w = np.exp(s - s[..., :1] if by == "first" else s)
        total = w.sum(axis=axis, keepdims=True)
        return np.divide(w, total, out=np.zeros_like(w), where=total > 0)

    return {"softmax": softmax}


def _finite(pieces: dict[str, Any]) -> dict[str, Any]:
    """Put 0 where hidden entries alone give NaN."""
    return {"softmax": lambda m, s: np.nan_to_num(pieces["softmax"](m, s))}


def _softmax_along(axis: Any) -> dict[str, Any]:
    def softmax(m: GPT2, s: Array) -> Array:
        w = np.exp(s - s.max(axis=axis, keepdims=True))
        return w / w.sum(axis=axis, keepdims=True)

    return {"softmax": softmax}


SWITCHES = (
    switch(
        "no_scale", "The scores are not scaled: 1/√d_k is missing",
        "Divide q·k by √d_k before the softmax, or it saturates as the heads grow.",
        LESSON, PART, scale=lambda m, d_k: 1.0,
    ),
    switch(
        "scale_sqrt_d", "Attention divides by √d, not √d_k",
        "The scale is the root of the head's size d_k = d / n_head, not of the whole width d.",
        LESSON, PART, scale=lambda m, d_k: 1 / np.sqrt(m.d),
    ),
    switch(
        "scale_d_k", "Attention divides by d_k, without the square root",
        "The scale is 1/√d_k. Scaling q and k by √d_k each has the effect of dividing by d_k.",
        LESSON, PART, scale=lambda m, d_k: 1 / d_k,
    ),
    switch(
        "scale_d", "Attention divides by d",
        "The scale is 1/√d_k, the root of the head's size.",
        LESSON, PART, scale=lambda m, d_k: 1 / m.d,
    ),
    switch(
        "scale_times", "Attention multiplies by √d_k instead of dividing",
        "The scores are divided by √d_k.",
        LESSON, PART, scale=lambda m, d_k: np.sqrt(d_k),
    ),
    switch(
        "scale_sqrt_T", "Attention divides by the root of the sequence length",
        "The scale is 1/√d_k, the root of the head's size. You take the size of another axis.",
        LESSON, PART,
        {"scale": lambda m, d_k: 1 / np.sqrt(m.T)},
        {"scale": lambda m, d_k: 1 / np.sqrt(d_k * m.T)},
    ),
    switch(
        "scale_sqrt_h", "Attention divides by the root of the number of heads",
        "The scale is 1/√d_k, the root of the head's size d / n_head.",
        LESSON, PART, scale=lambda m, d_k: 1 / np.sqrt(m.h),
    ),
    switch(
        "scale_fourth_root", "Attention divides by the fourth root of d_k",
        "If you scale before the product, both q and k need the fourth root; together √d_k.",
        LESSON, PART, scale=lambda m, d_k: d_k**-0.25,
    ),
    switch(
        "scale_sqrt_3d", "Attention divides by the root of the fused width or of d_ff",
        "The scale is 1/√d_k, the root of the head's size.",
        LESSON, PART,
        {"scale": lambda m, d_k: 1 / np.sqrt(3 * m.d)},
        {"scale": lambda m, d_k: 1 / np.sqrt(3 * d_k)},
        {"scale": lambda m, d_k: 1 / np.sqrt(4 * m.d)},
    ),
    switch(
        "scale_fixed", "The scale is a fixed number (1/8, GPT-2 small's)",
        "√d_k is 8 only where d_k = 64; compute it from the shapes.",
        LESSON, PART, scale=lambda m, d_k: 1 / 8,
    ),
    switch(
        "scale_rounded", "The root of d_k is cut or rounded to a whole number",
        "√d_k is seldom an integer: int(…), // and round() change it. Divide by np.sqrt(d_k).",
        LESSON, PART,
        {"scale": lambda m, d_k: 1 / max(1, int(d_k**0.5))},
        {"scale": lambda m, d_k: 1 / round(d_k**0.5)},
        {"scale": lambda m, d_k: 1 / np.ceil(d_k**0.5)},
        {"scores": lambda m, q, k: GPT2.scores(m, q, k) // np.sqrt(q.shape[-1]),
         "scale": lambda m, d_k: 1.0},
    ),
    switch(
        "scale_d_k_off", "The scale takes another number than d_k under the root",
        "It is 1/√d_k with d_k = d / n_head, nothing added, multiplied or taken away.",
        LESSON, PART,
        {"scale": lambda m, d_k: 1 / max(1, int(m.d**0.5))},
        *({"scale": lambda m, d_k, f=f: 1 / np.sqrt(f(m, d_k))} for f in (
            lambda m, k: k + 1, lambda m, k: max(k - 1, 1), lambda m, k: m.d * m.h,
            lambda m, k: m.d / m.h**2, lambda m, k: m.V, lambda m, k: k + 1e-5,
            lambda m, k: len(m.P["wpe"]), lambda m, k: len(m.P["blocks"]), lambda m, k: k * m.B,
            lambda m, k: k / 3, lambda m, k: m.h + k)),
    ),
    switch(
        "scale_power", "The scale is another power of d_k than 1/√d_k, or its logarithm",
        "The scores are divided by the square root of d_k.",
        LESSON, PART,
        *({"scale": lambda m, d_k, p=p: float(d_k) ** p} for p in (-1 / 3, -2.0, -0.75, -1.5)),
        {"scale": lambda m, d_k: 1 / np.log(d_k) if d_k > 1 else 1.0},
        {"scale": lambda m, d_k: 1 / np.log2(d_k) if d_k > 1 else 1.0},
        {"scale": lambda m, d_k: 1 / (1 + np.sqrt(d_k))},
    ),
    switch(
        "identity_added", "1 is added on the diagonal: the identity joins the scores or weights",
        "A position reads itself through its own score like every other; nothing is added to the "
        "diagonal. The residual x + … stands outside the attention.",
        LESSON, PART,
        {"mask": lambda m, s: GPT2.mask(m, s) + np.eye(s.shape[-1])},
        {"scores": lambda m, q, k: GPT2.scores(m, q, k) + np.eye(q.shape[-2])},
        {"softmax": lambda m, s: GPT2.softmax(m, s) + np.eye(s.shape[-1])},
        {"softmax": lambda m, s: (GPT2.softmax(m, s) + np.eye(s.shape[-1])) / 2},
        {"softmax": lambda m, s: GPT2.softmax(m, s) - np.eye(s.shape[-1])},
        {"softmax": lambda m, s: np.eye(s.shape[-1]) - GPT2.softmax(m, s)},
        {"mask": lambda m, s: GPT2.mask(m, s) - np.eye(s.shape[-1])},
        {"visible": lambda m, T: np.tri(T, dtype=bool),
         "mask": lambda m, s: GPT2.mask(m, np.where(np.eye(s.shape[-1]) > 0, 0.0, s))},
        {"mask": lambda m, s: GPT2.mask(m, np.where(np.eye(s.shape[-1]) > 0, 1.0, s))},
    ),
    switch(
        "scale_by_layer", "The scores are also divided by the number of the layer",
        "That option of some code bases (scale_attn_by_inverse_layer_idx) is off in GPT-2.",
        LESSON, PART, scale=lambda m, d_k: 1 / np.sqrt(d_k) / (m.layer + 1),
    ),
    switch(
        "scale_after_softmax", "The scale comes after the softmax",
        "Scale the scores, then take the softmax; the weights of a row must sum to 1.",
        LESSON, PART, attend=_unscaled_after,
    ),
    switch(
        "scores_negated", "The scores have the wrong sign",
        "The softmax is taken of +q·k/√d_k.",
        LESSON, PART, scale=lambda m, d_k: -1 / np.sqrt(d_k),
    ),
    switch(
        "scores_cosine", "Queries and keys are normalised to length 1",
        "GPT-2 takes the plain dot product q·k.",
        LESSON, PART,
        {"scores": lambda m, q, k: GPT2.scores(
            m, q / np.linalg.norm(q, axis=-1, keepdims=True),
            k / np.linalg.norm(k, axis=-1, keepdims=True))},
        {"scores": lambda m, q, k: GPT2.scores(m, m.normalise(q), m.normalise(k))},
    ),
    switch(
        "no_softmax", "The softmax is missing",
        "The masked scores must become weights that are positive and sum to 1.",
        LESSON, PART,
        {"softmax": lambda m, s: np.where(np.isinf(s), 0.0, s)},
        {"softmax": lambda m, s: s},
    ),
    switch(
        "softmax_over_queries", "The softmax runs over the queries, not over the keys",
        "Each query's weights must sum to 1: the softmax goes along the last axis (axis=-1).",
        LESSON, PART,
        {"softmax": lambda m, s: np.exp(s - s.max(axis=-1, keepdims=True))
         / np.exp(s - s.max(axis=-1, keepdims=True)).sum(axis=-2, keepdims=True)},
        _softmax_along(-2), _softmax_filled(-2), _shifted_along(-2, "none"),
    ),
    switch(
        "softmax_over_heads", "The softmax runs over the heads or the batch",
        "The softmax goes along the last axis, the keys (axis=-1).",
        LESSON, PART, _softmax_along(1), _softmax_along(0),
        _softmax_filled(1), _softmax_filled(0), _summed_along(1), _summed_along(0),
        _finite(_softmax_along(1)), _finite(_softmax_along(0)),
        _finite(_summed_along(1)), _finite(_summed_along(0)),
        *(_shifted_along(axis, by) for axis in (1, 0) for by in ("none", "first")),
        _softmax_filled((1, -1)), _summed_along((1, -1)), _summed_along((0, -1)),
    ),
    switch(
        "softmax_over_all", "The softmax is normalised over the whole matrix",
        "Each query's weights must sum to 1: sum along the last axis (axis=-1, keepdims=True).",
        LESSON, PART,
        _softmax_along((-2, -1)), _softmax_along(None),
        {"softmax": lambda m, s: np.exp(s - s.max(axis=-1, keepdims=True))
         / np.exp(s - s.max(axis=-1, keepdims=True)).sum()},
        {"softmax": lambda m, s: np.exp(s - s.max(axis=-1, keepdims=True))
         / np.exp(s - s.max(axis=-1, keepdims=True)).sum(axis=(-2, -1), keepdims=True)},
        _softmax_filled((-2, -1)),
    ),
    switch(
        "softmax_not_normalised", "The softmax is not divided by its sum",
        "exp of the scores is only half of it: divide by the sum over the keys.",
        LESSON, PART,
        {"softmax": lambda m, s: np.exp(s - s.max(axis=-1, keepdims=True))},
        {"softmax": lambda m, s: np.exp(s)},
    ),
    switch(
        "softmax_sigmoid", "A sigmoid stands in place of the softmax",
        "The weights of a row must sum to 1: exp divided by the sum of exp.",
        LESSON, PART, softmax=lambda m, s: 1 / (1 + np.exp(-s)),
    ),
    switch(
        "softmax_plus_one", "The softmax has a constant in its denominator",
        "The weights of a row must sum to exactly 1: exp divided by the sum of exp, nothing added.",
        LESSON, PART,
        *({"softmax": lambda m, s, c=c: (w := np.exp(s - s.max(-1, keepdims=True)))
           / (w.sum(-1, keepdims=True) + c)} for c in (1.0, 1e-5, 1e-6, 1e-3)),
        {"softmax": lambda m, s: np.exp(s) / (1 + np.exp(s).sum(-1, keepdims=True))},
    ),
    switch(
        "softmax_base_2", "The softmax takes powers of 2 (or 10), not of e",
        "Use np.exp.",
        LESSON, PART,
        {"softmax": lambda m, s: GPT2.softmax(m, s * np.log(2))},
        {"softmax": lambda m, s: GPT2.softmax(m, s * np.log(10))},
    ),
    switch(
        "softmax_twice", "The softmax is applied twice",
        "One softmax turns the masked scores into weights.",
        LESSON, PART,
        {"softmax": lambda m, s: GPT2.softmax(m, GPT2.softmax(m, s))},
        {"softmax": lambda m, s: GPT2.softmax(m, GPT2.mask(m, GPT2.softmax(m, s)))},
        {"softmax": lambda m, s: GPT2.softmax(m, GPT2.softmax(m, s)) * m.visible(m.T)},
    ),
    switch(
        "softmax_unstable", "The softmax overflows: the maximum is not subtracted",
        "exp of a large score is infinite, and infinity over infinity is NaN. Subtract the row's "
        "maximum first: the result is the same.",
        STABLE, "loud",
        {"softmax": lambda m, s: np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)},
        {"softmax": lambda m, s: np.nan_to_num(np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True))},
    ),
    switch(
        "softmax_one_maximum", "The softmax subtracts one maximum for many rows",
        "With a maximum over the whole array, rows of much lower scores underflow to 0 over 0. "
        "Take each row's own: s.max(axis=-1, keepdims=True).",
        STABLE, "loud",
        *({"softmax": lambda m, s, axis=axis: (w := np.exp(s - s.max(axis=axis, keepdims=True)))
           / w.sum(axis=-1, keepdims=True)} for axis in (None, -2, (-2, -1), 0, 1)),
    ),
    switch(
        "softmax_clipped", "The scores are clipped before exp",
        "Clipping changes large scores. Subtract the row's maximum instead.",
        STABLE, "loud",
        *({"softmax": lambda m, s, c=c: GPT2.softmax(m, np.clip(s, -c, c))} for c in CAPS),
        *({"softmax": lambda m, s, c=c: GPT2.softmax(m, np.minimum(s, c))} for c in CAPS),
        *({"mask": lambda m, s, c=c: GPT2.mask(m, np.clip(s, -c, c))} for c in CAPS),
        *({"softmax": lambda m, s, c=c: (w := np.exp(np.maximum(
            s - s.max(axis=-1, keepdims=True), -c))) / w.sum(axis=-1, keepdims=True)}
          for c in (10, 5)),
    ),
    switch(
        "mix_transposed", "The weights are transposed when they mix the values",
        "Row t of the weights says how much position t reads from each j: weights @ v.",
        LESSON, PART, mix=lambda m, w, v: w.swapaxes(-1, -2) @ v,
    ),
    switch(
        "mix_keys", "The weights mix the keys or the queries instead of the values",
        "The output of a head is weights @ v.",
        LESSON, PART,
        {"attend": lambda m, q, k, v: GPT2.attend(m, q, k, k)},
        {"attend": lambda m, q, k, v: GPT2.attend(m, q, k, q)},
    ),
    switch(
        "queries_for_keys", "Queries stand in for the keys, or keys for the queries",
        "The scores are q·k: you multiply q with q, or k with k.",
        LESSON, PART,
        {"scores": lambda m, q, k: GPT2.scores(m, q, q)},
        {"scores": lambda m, q, k: GPT2.scores(m, k, k)},
    ),
    switch(
        "scores_with_values", "The values take part in the scores",
        "The scores are q·k; v is only mixed by the weights.",
        LESSON, PART,
        {"attend": lambda m, q, k, v: GPT2.attend(m, q, v, v)},
        {"attend": lambda m, q, k, v: GPT2.attend(m, v, k, v)},
    ),
    switch(
        "scores_unused", "The scores play no part: attention is a plain mean of what is visible",
        "The softmax must be taken of the scores q·k/√d_k; here every visible position has equal "
        "weight, so queries and keys are ignored.",
        LESSON, PART,
        {"mask": lambda m, s: GPT2.mask(m, np.zeros_like(s))},
    ),
    switch(
        "softmax_hard", "Only the best-scoring position is read (argmax)",
        "The softmax gives every visible position a weight; it does not pick the largest.",
        LESSON, PART,
        softmax=lambda m, s: (s == s.max(axis=-1, keepdims=True)).astype(float),
    ),
    switch(
        "softmax_without_exp", "The weights are scores divided by their sum: the exp is missing",
        "The softmax divides exp of the scores by the sum of exp.",
        LESSON, PART,
        *({"softmax": lambda m, s, f=f, e=e: (w := f(np.where(np.isinf(s), 0.0, s)))
           / (w.sum(axis=-1, keepdims=True) + e)} for f, e in (
            (lambda s: s, 0.0), (np.abs, 0.0), (np.square, 0.0),
            (lambda s: np.maximum(s, 0), 1e-9), (lambda s: np.maximum(s, 0), 0.0))),
    ),
    switch(
        "log_softmax", "The weights are log-probabilities",
        "The values are mixed by the softmax itself, not by its logarithm.",
        LESSON, PART,
        {"softmax": lambda m, s: np.log(GPT2.softmax(m, s))},
        {"softmax": lambda m, s: np.where(np.isinf(s), 0.0, np.log(GPT2.softmax(m, s)))},
        *({"softmax": lambda m, s, c=c: np.where(
            np.isinf(s), 0.0, np.log(np.maximum(GPT2.softmax(m, s), c)))}
          for c in (1e-300, 1e-12, 1e-9)),
        *({"softmax": lambda m, s, c=c: np.where(
            np.isinf(s), 0.0, np.log(GPT2.softmax(m, s) + c))} for c in (1e-12, 1e-9)),
        {"softmax": lambda m, s: np.where(np.isinf(s), 0.0, (
            z := s - s.max(axis=-1, keepdims=True)) - np.log(
                np.exp(z).sum(axis=-1, keepdims=True)))},
        {"softmax": lambda m, s: (z := s - s.max(axis=-1, keepdims=True)) - np.log(
            np.exp(z).sum(axis=-1, keepdims=True))},
    ),
    switch(
        "scale_before_bias", "The scale is applied before the bias of the queries or keys",
        "Scale the finished product q·k: with q = (x @ W)/√d_k + b the bias is not scaled.",
        LESSON, PART,
        qkv=lambda m, b, x: (x @ b["w_qkv"]) * np.repeat(
            [(m.d / m.h) ** -0.5, 1.0, 1.0], m.d) + b["b_qkv"],
        scale=lambda m, d_k: 1.0,
    ),
    switch(
        "values_scaled", "The values, or the output of the heads, are scaled as well",
        "1/√d_k belongs to the scores alone.",
        LESSON, PART,
        {"mix": lambda m, w, v: w @ v / np.sqrt(v.shape[-1])},
        {"mix": lambda m, w, v: w @ v * np.sqrt(v.shape[-1])},
        {"mix": lambda m, w, v: w @ v / np.sqrt(v.shape[-1]), "scale": lambda m, d_k: 1 / d_k},
    ),
    switch(
        "scale_factor", "The scale has a factor too many",
        "It is 1/√d_k, with nothing else: no 2, no temperature.",
        LESSON, PART,
        *({"scale": lambda m, d_k, c=c: c / np.sqrt(d_k)} for c in (0.5, 2.0, 2**-0.5, 2**0.5)),
    ),
    switch(
        "scale_sqrt_B", "Attention divides by the root of the batch size",
        "The scale is 1/√d_k, the root of the head's size. You take the size of another axis.",
        LESSON, PART, scale=lambda m, d_k: 1 / np.sqrt(m.B),
    ),
)  # fmt: skip
