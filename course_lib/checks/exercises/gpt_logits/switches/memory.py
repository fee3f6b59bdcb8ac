"""Mistakes in what is kept from one call to the next. How to add one: __init__.py.

These switches are stateful: one instance of the model answers all cases in their order, as the
student's function does, so what it keeps from the first call spoils the later ones.
"""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2

LESSON = "01_forward_pass, a function without memory"
PART = "repeat"
Array = Any  # NDArray; a wrong variant may return anything


def _first(m: Any, name: str, value: Any) -> Any:
    """Return the value that was given for this name in the first call."""
    return m.__dict__.setdefault(f"kept_{name}", value)


def _earlier_keys(m: Any, q: Array, k: Array, v: Array) -> Array:
    """Attend to the keys and values of all earlier calls as well."""
    kept = m.__dict__.setdefault("cache", {})
    if m.layer in kept:
        k = np.concatenate([kept[m.layer][0], k], axis=2)
        v = np.concatenate([kept[m.layer][1], v], axis=2)
    kept[m.layer] = k, v
    S, T = k.shape[2], q.shape[2]
    s = np.where(
        np.tri(T, S, S - T, dtype=bool), GPT2.scores(m, q, k) * m.scale(q.shape[-1]), -np.inf
    )
    return m.softmax(s) @ v


SWITCHES = (
    switch(
        "mask_kept", "The mask made for the first call is used again for other lengths",
        "Your function remembers a mask between calls. Make it from the T of this call.",
        LESSON, PART,
        {"mask": lambda m, s: np.where(_first(m, "mask", m.visible(m.T)), s, -np.inf)},
        {"mask": lambda m, s: np.where(
            _first(m, "mask", m.visible(m.T))[: m.T, : m.T], s, -np.inf)},
        {"visible": lambda m, T: _first(m, "mask", GPT2.visible(m, T))},
        stateful=True,
    ),
    switch(
        "positions_kept", "The position rows of the first call are used again",
        "Your function remembers wpe[:T] between calls. Take it anew in each.",
        LESSON, PART,
        position_rows=lambda m, idx: _first(m, "rows", GPT2.position_rows(m, idx)),
        stateful=True,
    ),
    switch(
        "parameters_kept", "The parameters of the first call are used in later calls",
        "Your function stores P, or something made from it, in a global or in a cache, and does "
        "not look at the P of this call.",
        LESSON, PART,
        {"answer": lambda m, P, i, h: GPT2.answer(m, _first(m, "P", P), i, h)},
        {"answer": lambda m, P, i, h: GPT2.answer(m, _first(m, "P", P), i, _first(m, "h", h))},
        {"position_rows": lambda m, idx: _first(m, "wpe", m.P["wpe"])[: m.T]},
        stateful=True,
    ),
    switch(
        "heads_kept", "The number of heads of the first call is used in later calls",
        "Your function remembers n_head (or d_k) between calls.",
        LESSON, PART,
        {"answer": lambda m, P, i, h: GPT2.answer(m, P, i, _first(m, "h", h))},
        {"scale": lambda m, d_k: _first(m, "scale", 1 / np.sqrt(d_k))},
        stateful=True,
    ),
    switch(
        "result_kept", "The result of the first call is returned again",
        "Your function remembers its result, whatever it is asked in later calls.",
        LESSON, PART,
        {"answer": lambda m, P, i, h: _first(
            m, "result", GPT2.answer(m, P, i, h)).copy()},
        {"answer": lambda m, P, i, h: m.__dict__.setdefault("results", {}).setdefault(
            i.shape, GPT2.answer(m, P, i, h)).copy()},
        stateful=True,
    ),
    switch(
        "keys_pile_up", "Keys and values of earlier calls are still attended to",
        "A cache of keys and values belongs to one generation. Here every call starts anew.",
        LESSON, PART, attend=_earlier_keys, stateful=True,
    ),
)  # fmt: skip
