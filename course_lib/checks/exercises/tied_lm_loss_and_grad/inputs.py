"""The inputs on which `tied_lm_loss_and_grad` is tried, drawn from a seed.

Saturated hidden units (tanh' = 0) silence the path through the lookup; inputs that A sends to
zero (H = 0) silence the path through the head.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from course_lib.checks.exercise import Case


def make_cases(seed: int) -> list[Case]:
    """Draw every case, the simplest first."""
    rng = np.random.default_rng([seed, 6204])

    def sizes(E: Any, idx: Any) -> str:
        return f"V = {len(E)}, d = {E.shape[1]}, n = {len(idx)}"

    def case(name: str, E: Any, A: Any, idx: Any, y: Any, why: str, box: str, **kw: Any) -> Case:
        args = (E, A, np.array(idx), np.array(y))
        return Case(name, (args,), why, secret=sizes(E, idx), box=box, **kw)

    E = rng.standard_normal((11, 5))
    A = rng.standard_normal((5, 5)) * 0.6
    some = rng.permutation(11)[:4]
    aims = (some + 1 + rng.integers(0, 9, 4)) % 11
    flat_E = E.copy()
    flat_E[some, 1:] = 0.0
    flat_A = A.copy()
    flat_A[0] = 0.0
    repeated = np.array([0, 3, 3, 9, 3, 0, 7])
    following = np.array([3, 3, 9, 3, 0, 7, 10])
    E7, A7 = rng.standard_normal((7, 6)), rng.standard_normal((6, 6)) * 0.5
    many, many_y = rng.integers(0, 6, 16), rng.integers(0, 7, 16)
    many[:3] = 5

    even_E, even_A = E.copy(), A.copy()
    even_E[:, 0] = 900.0
    even_A[0], even_A[:, 0] = 0.0, 0.0
    even_A[0, 0] = 1.0  # so that the first hidden unit is 1 at every position

    def freeze(x: Any) -> Any:
        out = np.asfortranarray(x)
        out.flags.writeable = False
        return out

    base = case("base", E, A, repeated, following, "repeated ids in a row of seven",
                "ids that occur more than once")  # fmt: skip
    return [
        case("saturated", E * 3, A * 4000, some, aims,
             "hidden units all at ±1, so that nothing passes back through tanh",
             "the loss or the gradient through the head"),
        case("lookup", flat_E, flat_A, some, aims,
             "hidden units all at 0, so that the head's path gives nothing",
             "the loss or the gradient through the lookup"),
        case("one", E * 4, A * 0.3, [4], [10], "a single token (n = 1)", "the case n = 1"),
        case("distinct", E, A, some, aims, "different ids in a row of four",
             "the way the two paths are combined"),
        base,
        case("many", E7, A7, many, many_y, "more tokens than the vocabulary has, the largest id "
             "never among the inputs", "ids that occur more than once, or the size of dE"),
        case("loud", E * 100, A / 100, repeated, following, "scores in the hundreds",
             "the softmax or the logarithm: it overflows"),
        case("louder", E * 3000, A / 3000, repeated, following, "scores in the thousands",
             "the softmax or the logarithm: it overflows"),
        case("even", even_E, even_A, repeated, following, "scores that are all near 900",
             "the softmax or the logarithm: it overflows"),
        case("frozen", freeze(E), freeze(A), repeated, following, "read-only arrays",
             "arrays stored by column"),
        case("float32", E.astype(np.float32), A.astype(np.float32), repeated, following,
             "float32 arrays", "the handling of float32", tolerance=1e-4),
        Case("calls", (base.calls[0], (E7, A7, many, many_y), base.calls[0]),
             "several calls in a row, of different sizes", box="something kept between calls"),
    ]  # fmt: skip
