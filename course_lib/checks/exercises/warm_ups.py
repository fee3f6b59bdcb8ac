"""The warm-ups `layer_norm` and `causal_attention`.

They are boxes of GPT-2, so their mistakes are those of the boxes: the switches of `gpt_logits`
that touch only these boxes serve here as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from course_lib.checks.exercise import Case, Exercise, LoopProbe, Part, Switch, switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2
from course_lib.checks.exercises.gpt_logits.switches import layer_norm, mask, memory, scores

Array = Any  # NDArray; a wrong variant may return anything


def within(pieces: set[str], switches: Iterable[Switch], without: set[str]) -> list[Switch]:
    """Return the switches all of whose replaced methods are among `pieces`, for part "whole"."""
    found = []
    for s in switches:
        forms = tuple(form for form in s.forms if set(form) <= pieces)
        if forms and s.id not in without:
            part, *also = ({"loud": "stable", "repeat": "repeat"}.get(p, "whole") for p in s.costs)
            if s.id == "ln_no_eps":
                also.append("stable")  # a row of equal features divides 0 by 0
            found.append(replace(s, part=part, forms=forms, also=tuple(also)))
    return found


def _freeze(x: Array) -> Array:
    out = np.asfortranarray(x)
    out.flags.writeable = False
    return out


def _rounded_to_float32(method: str) -> dict[str, Any]:
    right = getattr(GPT2, method)
    return {method: lambda m, *a: right(m, *(x.astype(np.float32) for x in a))}


# ---------------------------------------------------------------- layer_norm


class LayerNorm(GPT2):
    """The layer norm of GPT-2 by itself."""

    def answer(self, x: Array, g: Array, b: Array) -> Any:
        """Return the normalised x, (..., d)."""
        return self.result(self.layer_norm(x, g, b))


def layer_norm_cases(seed: int) -> list[Case]:
    """Draw inputs of one to four axes, rows of tiny variance and rows of equal features."""
    rng = np.random.default_rng([seed, 6205])
    draw = rng.standard_normal

    def case(name: str, x: Array, why: str, box: str, tolerance: float = 1e-8) -> Case:
        d = x.shape[-1]
        g, b = (1 + 0.4 * draw(d)).astype(x.dtype), (0.5 * draw(d)).astype(x.dtype)
        if name == "frozen":
            x, g, b = _freeze(x), _freeze(g), _freeze(b)
        return Case(name, ((x, g, b),), why, secret=f"x has shape {x.shape}", box=box,
                    tolerance=tolerance)  # fmt: skip

    level = draw((2, 3, 8))
    level[0, 1], level[1, 2] = 0.0, 0.75
    batch = 2 * draw((2, 5, 7)) + 1.5
    cases = [
        case("vector", 3 * draw(6) + 2, "a single vector of shape (d,)", "the statistics"),
        case("matrix", 2 * draw((4, 5)) - 1, "a matrix of shape (T, d)", "the axis"),
        case("batch", batch, "a batch of shape (B, T, d)", "the axis"),
        case("four", draw((2, 3, 4, 5)), "an array of four axes", "the axis"),
        case("quiet", 3e-3 * draw((3, 4, 6)), "features of tiny variance", "the ε"),
        case("level", level, "rows in which all features are equal", "constant rows"),
        case("far", 1e6 + draw((3, 6)), "features far from zero", "the mean or the variance"),
        case("frozen", batch, "read-only arrays stored by column", "arrays stored by column"),
        case("float32", batch.astype(np.float32), "float32 arrays", "float32", 1e-4),
    ]
    args = cases[2].calls[0]
    other = cases[3].calls[0]
    return [*cases, Case("calls", (args, other, args), "several calls in a row", box="a state")]


def layer_norm_probes(seed: int) -> list[LoopProbe]:
    """Pair inputs that differ in T or in B only."""
    rng = np.random.default_rng(seed)
    g, b = rng.standard_normal((2, 5))
    small, long, wide = (rng.standard_normal(s) for s in ((2, 3, 5), (2, 30, 5), (30, 3, 5)))
    return [
        LoopProbe("positions", (small, g, b), (long, g, b), 27),
        LoopProbe("batch", (small, g, b), (wide, g, b), 28),
    ]


_NORM_PIECES = {
    "layer_norm", "normalise", "mean", "centre", "variance", "deviation", "affine", "eps",
}  # fmt: skip

LAYER_NORM = Exercise(
    name="layer_norm",
    contract="layer_norm(x, g, b) returns the normalised x, an array of the shape of x",
    section="01_forward_pass, layer norm",
    reference=LayerNorm,
    make_cases=layer_norm_cases,
    parts=(
        Part("whole", "Statistics, ε, gain and bias", 1, own=True),
        Part("stable", "Rows of equal features, features far from zero", 0.25, ("level", "far")),
        Part("inputs", "Inputs unchanged", 0.25, conduct="inputs"),
        Part("repeat", "The same result on every call", 0.25, conduct="repeat"),
        Part("loops", "No loop over positions or batch", 0.25, conduct="loops"),
    ),
    switches=(
        *within(_NORM_PIECES, layer_norm.SWITCHES, set()),
        switch("float32", "float32 is used although x is float64",
               "About seven digits are right, then rounding shows.", layer_norm.LESSON, "whole",
               _rounded_to_float32("layer_norm"),
               {"result": lambda m, y: y.astype(np.float32)}, tolerance=1e-5),
        switch("one_pass_variance", "The variance is taken as E[x²] − E[x]²",
               "Far from 0 these are two large numbers, and their difference has few right digits. "
               "Subtract the mean first, then square.", layer_norm.LESSON, "stable",
               {"variance": lambda m, x, mean: (x * x).mean(axis=-1, keepdims=True) - mean * mean},
               tolerance=1e-2),
        switch("no_keepdims", "Mean and variance lose their axis",
               "Without keepdims=True they line up with the wrong axis.", layer_norm.LESSON,
               "whole",
               mean=lambda m, x: x.mean(axis=-1),
               variance=lambda m, x, mean: x.var(axis=-1)),
    ),
    arguments=("x", "g", "b"),
    probes=layer_norm_probes,
)  # fmt: skip


# ---------------------------------------------------------------- causal_attention


class CausalAttention(GPT2):
    """Causal attention by itself, for any leading axes."""

    def answer(self, Q: Array, K: Array, V: Array) -> Any:
        """Return the mixed values, (..., T, d_k)."""
        self.T, self.d_k = Q.shape[-2:]
        return self.result(self.attend(Q, K, V))


def causal_attention_cases(seed: int) -> list[Case]:
    """Draw queries, keys and values of two to four axes, and scores near a thousand."""
    rng = np.random.default_rng([seed, 6206])

    def draw(*shape: int) -> tuple[Array, Array, Array]:
        return tuple(rng.standard_normal((3, *shape)))

    def case(name: str, qkv: Any, why: str, box: str, tolerance: float = 1e-8) -> Case:
        return Case(name, (tuple(qkv),), why, secret=f"Q has shape {qkv[0].shape}", box=box,
                    tolerance=tolerance)  # fmt: skip

    q, k, v = draw(2, 3, 6, 5)
    cases = [
        case("single", draw(1, 7), "a single position (T = 1)", "the values"),
        case("mean", (0 * q[0, 0], k[0, 0], v[0, 0]),
             "queries of zero, so that attention is a mean", "the mask"),
        case("matrix", draw(6, 3), "one head of shape (T, d_k)",
             "the scale, the mask or the softmax"),
        case("wide", draw(3, 7), "a head with more features than positions",
             "the scale, the mask or the softmax"),
        case("heads", (q, k, v), "an array of shape (B, h, T, d_k)", "the axes"),
        case("batch", draw(4, 19, 6), "an array of shape (B, T, d_k)", "the axes"),
        case("loud", (q * 30, k * 30, v), "scores near a thousand", "the softmax: it overflows"),
        case("louder", (q * 1100, k * 1100, v), "scores of several hundred thousand",
             "something from the future gets through"),
        case("frozen", tuple(map(_freeze, (q, k, v))), "read-only arrays stored by column",
             "arrays stored by column"),
        case("float32", tuple(a.astype(np.float32) for a in (q, k, v)), "float32 arrays",
             "float32", 1e-4),
    ]  # fmt: skip
    one, two = cases[4].calls[0], cases[2].calls[0]
    # this row of calls comes first: what is kept from a first call must spoil the later ones
    return [Case("calls", (one, two, one), "several calls in a row", box="a state"), *cases]


def causal_attention_probes(seed: int) -> list[LoopProbe]:
    """Pair inputs that differ in T, h or B only."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> tuple[Any, ...]:
        return tuple(rng.standard_normal((3, *shape)))

    small = draw(2, 2, 4, 3)
    return [
        LoopProbe("positions", small, draw(2, 2, 36, 3), 32),
        LoopProbe("heads", small, draw(2, 30, 4, 3), 28),
        LoopProbe("batch", small, draw(30, 2, 4, 3), 28),
    ]


_ATTENTION_PIECES = {"attend", "scores", "scale", "mask", "visible", "softmax", "mix"}
_ATTENTION_SWITCHES = (*scores.SWITCHES, *mask.SWITCHES, *memory.SWITCHES)
_NEED_THE_MODEL = {
    "scale_sqrt_d", "scale_d", "scale_sqrt_h", "scale_sqrt_B", "scale_by_layer", "scale_sqrt_3d",
    "scale_fixed", "scale_d_k_off",
    "mask_first_only", "mask_some_heads", "softmax_over_heads", "heads_kept", "scale_before_bias",
    "keys_pile_up",
}  # fmt: skip
_SCALE = "01_forward_pass, scaled dot-product attention"

CAUSAL_ATTENTION = Exercise(
    name="causal_attention",
    contract="causal_attention(Q, K, V) returns the mixed values, an array of the shape of V",
    section="01_forward_pass, scaled dot-product attention",
    reference=CausalAttention,
    make_cases=causal_attention_cases,
    parts=(
        Part("whole", "Scores, scale, mask, softmax and mix", 1.5, own=True),
        Part("stable", "Stable at large scores, nothing leaks", 0.5, ("loud", "louder")),
        Part("inputs", "Inputs unchanged", 0.25, conduct="inputs"),
        Part("repeat", "The same result on every call", 0.25, conduct="repeat"),
        Part("loops", "No loop over positions, heads or batch", 0.5, conduct="loops"),
    ),
    switches=(
        *within(_ATTENTION_PIECES, _ATTENTION_SWITCHES, _NEED_THE_MODEL),
        switch("scale_wrong_axis", "The scale is taken from the wrong axis",
               "It is 1/√d_k, with d_k the last axis of Q.", _SCALE, "whole",
               {"scale": lambda m, d_k: 1 / 8},
               {"scale": lambda m, d_k: 1 / np.sqrt(3 * d_k)}),
        switch("scores_key_by_query", "The scores are K Qᵀ instead of Q Kᵀ",
               "Rows belong to the queries, columns to the keys: Q @ K.swapaxes(-1, -2).",
               _SCALE, "whole", scores=lambda m, q, k: k @ q.swapaxes(-1, -2)),
        switch("softmax_first_axis", "The softmax runs over the first axis",
               "It goes along the keys: axis=-1.", _SCALE, "whole",
               softmax=lambda m, s: (w := np.exp(s - s.max(axis=-1, keepdims=True)))
               / w.sum(axis=0, keepdims=True)),
        switch("keys_all_reversed", "K.T reverses all axes",
               "For more than two axes use K.swapaxes(-1, -2).", _SCALE, "whole",
               scores=lambda m, q, k: q @ k.T),
        switch("returns_weights", "The attention weights are returned",
               "Mix the values with them: weights @ V.", _SCALE, "whole",
               mix=lambda m, w, v: w),
        switch("float32", "float32 is used although the inputs are float64",
               "About seven digits are right, then rounding shows.", _SCALE, "whole",
               _rounded_to_float32("attend"),
               {"result": lambda m, y: y.astype(np.float32)}, tolerance=1e-5),
    ),
    arguments=("Q", "K", "V"),
    probes=causal_attention_probes,
)  # fmt: skip
