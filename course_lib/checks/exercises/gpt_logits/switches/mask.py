"""Mistakes in the causal mask: its shape, its place and its fill. How to add one: __init__.py."""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2

LESSON = "02_causality, the mask"
PART = "mask"
Array = Any  # NDArray; a wrong variant may return anything

# at ordinary scores e^-20 is lost in rounding: these leak at large ones only
LARGE_FILLS = (1e4, 1e3, 1e2, 1e5, 1e6, 5e1, 20.0, 30.0, 40.0, 500.0, 9999.0)
SMALL_FILLS = (10.0, 1.0, 2.0, 5.0)


def _fill(value: float) -> dict[str, Any]:
    return {"mask": lambda m, s: np.where(m.visible(m.T), s, value)}


def _added(value: float) -> dict[str, Any]:
    return {"mask": lambda m, s: s + np.where(m.visible(m.T), 0, value)}


def _before_scale(value: float) -> dict[str, Any]:
    def attend(m: GPT2, q: Array, k: Array, v: Array) -> Array:
        s = np.where(m.visible(m.T), m.scores(q, k), value)
        return m.mix(m.softmax(s * m.scale(q.shape[-1])), v)

    return {"attend": attend}


def _zeros_hidden(value: float) -> Any:
    return lambda m, s: np.where(m.visible(m.T) & (s != 0), s, value)


def _after_softmax(m: GPT2, q: Array, k: Array, v: Array) -> Array:
    weights = m.softmax(m.scores(q, k) * m.scale(q.shape[-1]))
    return m.mix(weights * m.visible(m.T), v)


def _renormalised(m: GPT2, q: Array, k: Array, v: Array) -> Array:
    weights = m.softmax(m.scores(q, k) * m.scale(q.shape[-1])) * m.visible(m.T)
    return m.mix(weights / weights.sum(axis=-1, keepdims=True), v)


def _maximum_before_mask(m: GPT2, s: Array) -> Array:
    return np.where(m.visible(m.T), s - s.max(axis=-1, keepdims=True), -np.inf)


def _masked_at(m: GPT2, s: Array, at: tuple[slice, ...]) -> Array:
    out = s.copy()
    out[at] = GPT2.mask(m, s[at])
    return out


# ways of hiding that differ where a whole row is hidden
_HIDE: tuple[dict[str, Any], ...] = (
    {},
    {"mask": lambda m, s: np.where(m.visible(m.T), s, -1e9)},
    {"mask": lambda m, s: s + np.where(m.visible(m.T), 0, -1e9)},
    {"mask": lambda m, s: s + np.where(m.visible(m.T), 0, -1e20)},
)


SWITCHES = (
    switch(
        "no_mask", "There is no causal mask: every position sees the future",
        "Position t may attend to j ≤ t only. Set the scores of later positions to −∞ before the "
        "softmax.",
        LESSON, PART, mask=lambda m, s: s, also=("loud",),
    ),
    switch(
        "mask_by_zero", "The mask goes by scores that are 0, not by position",
        "np.tril sets the later scores to 0, but a score that may be seen can be 0, too: hide what "
        "lies above the diagonal, whatever its value.",
        LESSON, PART,
        *({"mask": _zeros_hidden(value)} for value in (-np.inf, -1e9, -1e10, -1e20, -1e30, -1e4)),
    ),
    switch(
        "mask_transposed", "The mask is upside down: positions see only the future",
        "Keep the lower triangle (j ≤ t), hide the upper one. You keep the upper one.",
        LESSON, PART, visible=lambda m, T: np.triu(np.ones((T, T), bool)),
    ),
    switch(
        "mask_inverted", "The mask is inverted: what should be seen is hidden",
        "The condition in your mask stands for the hidden entries but serves for the visible ones, "
        "or the fill has the wrong sign.",
        LESSON, PART,
        *({"visible": lambda m, T, k=k: np.triu(np.ones((T, T), bool), k=k), **hide}
          for k in (1, 2) for hide in _HIDE),
    ),
    switch(
        "mask_hides_self", "The mask hides a position from itself",
        "Position t sees j ≤ t, itself included. Look at the k of np.tril or np.triu: the diagonal "
        "must stay.",
        LESSON, PART,
        {"visible": lambda m, T: np.tril(np.ones((T, T), bool), k=-1)},
        {"visible": lambda m, T: np.tril(np.ones((T, T), bool), k=-1),
         "softmax": lambda m, s: np.nan_to_num(GPT2.softmax(m, s))},
        {"visible": lambda m, T: np.tril(np.ones((T, T), bool), k=-1),
         "mask": lambda m, s: np.where(m.visible(m.T), s, -1e9)},
        {"visible": lambda m, T: np.tril(np.ones((T, T), bool), k=-1),
         "mask": lambda m, s: s + np.where(m.visible(m.T), 0, -1e9)},
    ),
    switch(
        "mask_sees_next", "The mask lets each position see the next one",
        "The diagonal is off by one: position t sees j ≤ t, not j ≤ t + 1.",
        LESSON, PART, visible=lambda m, T: np.tril(np.ones((T, T), bool), k=1),
    ),
    switch(
        "mask_fills_zero", "The mask sets future scores to 0 (or nearly) instead of −∞",
        "exp(0) = 1, so the future still takes part. Multiplying the scores by a 0/1 mask does the "
        "same. Fill with −∞.",
        LESSON, PART, _fill(0.0),
    ),
    switch(
        "mask_weak_fill", "The mask's fill is too small: the future leaks at large scores",
        "The fill must be below any score, whatever its size: use −∞ (−1e9 is as good as that).",
        LESSON, "loud",
        *(_fill(-f) for f in LARGE_FILLS), *(_added(-f) for f in LARGE_FILLS),
        *(_before_scale(-f) for f in LARGE_FILLS),
        *(_added(float(np.log(e))) for e in (1e-9, 1e-10, 1e-8, 1e-12, 1e-6)),
    ),
    switch(
        "mask_small_fill", "The mask's fill is too small: the future leaks at ordinary scores",
        "The fill must be below any score, whatever its size: use −∞ (−1e9 is as good as that).",
        LESSON, PART,
        *(_fill(-f) for f in SMALL_FILLS), *(_added(-f) for f in SMALL_FILLS),
        *(_before_scale(-f) for f in SMALL_FILLS),
        {"mask": lambda m, s: np.where(m.visible(m.T), s, s.min())},
        {"mask": lambda m, s: np.where(m.visible(m.T), s, s.min(axis=-1, keepdims=True))},
        also=("loud",),
    ),
    switch(
        "mask_positive_fill", "The mask's fill has the wrong sign or exponent",
        "The hidden scores must be −∞ or a huge negative number; check for 1e9, +∞ or −1e-9.",
        LESSON, PART,
        _fill(1e9), _fill(np.inf),  _fill(1.0), _added(1.0),
    ),
    switch(
        "mask_after_softmax", "The mask is applied after the softmax",
        "The future has already taken its share of each row, so the weights no longer sum to 1. "
        "Mask the scores, then take the softmax.",
        LESSON, PART, attend=_after_softmax,
    ),
    switch(
        "mask_too_late", "The mask comes too late: visible weights underflow to zero",
        "You mask after the softmax and rescale, or take the row's maximum before masking. Right "
        "on paper; but where a future score is far larger, all visible exp underflow to 0 and the "
        "row becomes 0 over 0. Mask the scores first.",
        LESSON, "loud",
        {"attend": _renormalised},
        {"mask": _maximum_before_mask,
         "softmax": lambda m, s: np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)},
        {"attend": lambda m, q, k, v: m.mix(np.nan_to_num(
            (w := m.softmax(m.scores(q, k) * m.scale(q.shape[-1])) * m.visible(m.T))
            / w.sum(axis=-1, keepdims=True)), v)},
        *({"attend": lambda m, q, k, v, c=c: m.mix(
            (w := m.softmax(m.scores(q, k) * m.scale(q.shape[-1])) * m.visible(m.T))
            / (w.sum(axis=-1, keepdims=True) + c), v)} for c in (1e-9, 1e-12, 1e-10, 1e-8)),
    ),
    switch(
        "mask_nan", "The mask is 0 · ∞, which is NaN",
        "Multiplying a 0/1 matrix by −∞ gives NaN at every 0: np.where(visible, scores, -np.inf).",
        LESSON, PART,
        {"mask": lambda m, s: s + (1 - m.visible(m.T)) * -np.inf},
        {"mask": lambda m, s: s * np.where(m.visible(m.T), 1, -np.inf)},
    ),
    switch(
        "mask_first_only", "Only the first block masks the future",
        "Every block needs the causal mask: one block that sees the future is enough to leak it.",
        LESSON, PART,
        {"mask": lambda m, s: GPT2.mask(m, s) if m.layer == 0 else s},
        {"mask": lambda m, s: GPT2.mask(m, s) if m.layer == len(m.P["blocks"]) - 1 else s},
        {"mask": lambda m, s: s if m.layer == 0 else GPT2.mask(m, s)},
        {"mask": lambda m, s: s if m.layer % 2 else GPT2.mask(m, s)},
    ),
    switch(
        "mask_some_heads", "Only one head, or only one sequence, is masked",
        "The same triangle holds for all heads and all sequences: it broadcasts over (B, h).",
        LESSON, PART,
        *({"mask": lambda m, s, at=at: _masked_at(m, s, at)} for at in (
            (slice(None), slice(0, 1)), (slice(0, 1),), (slice(None), slice(-1, None)),
            (slice(-1, None),))),
    ),
    switch(
        "mask_prefix", "The first positions see each other both ways, or are hidden from all",
        "Position t sees j ≤ t, whatever t is: a plain triangle.",
        LESSON, PART,
        *({"visible": lambda m, T, c=c: np.tri(T, dtype=bool) | (np.arange(T) < c)}
          for c in (2, 3, 4)),
        {"visible": lambda m, T: np.tri(T, dtype=bool) | (np.arange(T) < T // 2)},
        {"visible": lambda m, T: np.tri(T, dtype=bool) & ((np.arange(T) > 0) | (
            np.arange(T)[:, None] == 0))},
        {"visible": lambda m, T: np.tri(T, dtype=bool) | (np.arange(T)[:, None] == 0)},
    ),
    switch(
        "mask_window", "The mask hides the distant past as well",
        "Position t sees all j ≤ t, back to position 0.",
        LESSON, PART,
        {"visible": lambda m, T: np.eye(T, dtype=bool)},
        *({"visible": lambda m, T, w=w: np.tri(T, dtype=bool) & ~np.tri(T, k=-w, dtype=bool)}
          for w in (2, 3, 4, 5, 8)),
        *({"visible": lambda m, T, n=n: np.tri(T, dtype=bool) & (
            (np.arange(T)[:, None] - np.arange(T)) % n == 0)} for n in (2, 3)),
        *({"visible": lambda m, T, w=w: np.tri(T, dtype=bool) & (
            np.arange(T)[:, None] // w == np.arange(T) // w)} for w in (2, 3, 4)),
    ),
    switch(
        "mask_last_row", "Only one row of the mask is used for all positions",
        "The mask is a (T, T) triangle; each query has its own row.",
        LESSON, PART,
        {"visible": lambda m, T: np.arange(T)[None, :] <= T // 2},
        {"visible": lambda m, T: np.arange(T)[None, :] < T - 1},
    ),
    switch(
        "mask_on_queries", "The mask is applied to rows as a whole, not to pairs",
        "Compare key index with query index: entry (t, j) is visible if j ≤ t.",
        LESSON, PART,
        visible=lambda m, T: np.tril(np.ones((T, T), bool))[::-1],
    ),
)  # fmt: skip
