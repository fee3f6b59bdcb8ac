"""What a result is evidence of: whether anything was computed, and which mistakes it rules out.

A mistake that is named leaves the other parts of an answer right only where their own mistakes
would have shown beside it, in finite numbers. NaN hides them all, as do numbers that depend on
nothing and arguments that are handed back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from course_lib.checks.compare import Raised, first_difference
from course_lib.checks.exercise import Part, make_variant, run_case

if TYPE_CHECKING:
    from course_lib.checks.diagnose import Answers, Explanation
    from course_lib.checks.side_by_side import Pieces

SAME = 1e-6  # how closely numbers agree, relative to the largest, that are taken for the same


def is_constant(value: Any) -> bool:
    """Say whether a result is an array of one number throughout, such as all zeros."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, Raised) or is_constant(v) for v in value)
    if not isinstance(value, np.ndarray) or value.size < 2:
        return False
    return bool((value == value.flat[0]).all())


def is_undefined(value: Any) -> bool:
    """Say whether a result is NaN throughout."""
    if isinstance(value, list):
        return bool(value) and all(map(is_undefined, value))
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool(np.isnan(value).all())


def is_one_number(values: Sequence[Any]) -> bool:
    """Say whether a submission gives the same single number whatever it is asked."""

    def reduced(value: Any) -> Any:
        if is_constant(value):
            return value.flat[0] if isinstance(value, np.ndarray) else None
        return value if isinstance(value, (bool, int, float)) else None

    first = reduced(values[0])
    return first is not None and all(reduced(value) == first for value in values)


def is_one_object(values: Sequence[Any]) -> bool:
    """Say whether a submission gives the same number, text or None whatever it is asked."""
    plain = all(isinstance(v, (bool, int, float, str, list, tuple, dict)) for v in values)
    return plain and all(repr(value) == repr(values[0]) for value in values)


def is_empty_handed(value: Any, calls: Sequence[tuple[Any, ...]]) -> bool:
    """Say whether a result holds nothing computed: no finite number, one number, or an argument.

    calls: the arguments of each call; a list of as many results belongs to several calls.
    """
    if isinstance(value, list) and len(calls) == len(value) > 1:
        return all(is_empty_handed(v, [c]) for v, c in zip(value, calls, strict=True))
    if isinstance(value, tuple):
        return bool(value) and all(is_empty_handed(item, calls) for item in value)
    if isinstance(value, bool | int | float):
        given = (a for call in calls for a in call if isinstance(a, bool | int | float))
        return (isinstance(value, float) and not math.isfinite(value)) or value in given
    if isinstance(value, np.ndarray):
        return value.size < 2 or _is_one_or_given(value, calls)
    return isinstance(value, Raised)


def _is_one_or_given(value: Any, calls: Sequence[tuple[Any, ...]]) -> bool:
    """Say whether the finite entries are one number, or arguments as they came."""
    if value.dtype.kind not in "iuf":
        return is_constant(value) or any(np.array_equal(value, a) for c in calls for a in c)
    finite = np.isfinite(value)
    numbers = value[finite].astype(float)
    if not numbers.size:
        return True
    near = SAME * max(1.0, float(np.abs(numbers).max()))
    if np.ptp(numbers) <= near:
        return True
    with np.errstate(all="ignore"):
        return any(
            bool((np.abs(np.broadcast_to(given, value.shape)[finite] - numbers) <= near).all())
            for call in calls
            for given in _put_together(call, value.shape)
        )


def _put_together(args: Sequence[Any], shape: tuple[int, ...]) -> Iterator[Any]:
    """Yield each argument of a shape: as it came, times a second, plus a second or a third."""
    arrays = [a for a in args if isinstance(a, np.ndarray) and a.dtype.kind in "iuf"]
    fitting = [a for a in arrays if _fits(a.shape, shape)]
    for a in (a for a in arrays if a.shape == shape):
        yield a
        others = [b for b in fitting if b is not a]
        for b in others:
            yield from (a * b, a + b)
        for b, c in permutations(others, 2):
            yield a * b + c


def _fits(one: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(one, shape) == shape
    except ValueError:
        return False


def is_proven(known: Answers, part: Part, explanation: Explanation, got: Sequence[Any]) -> bool:
    """Say whether a part is seen to be right beside the mistakes that explain all values.

    It is if its own cases are right, as far as those round, or if a mistake in it would have shown.
    Where no mistake in it can be tried beside those found, since they replace the same methods or
    one is only ever tried alone, it takes a result that holds something, and no more.
    """
    if part.cases and _cases_right(known, part, explanation, got):
        return True
    telling = [k for k, case in enumerate(known.cases) if not is_empty_handed(got[k], case.calls)]
    telling.sort(key=lambda k: len(known.cases[k].calls))
    others = list(_others(known, part, explanation))
    due = {k: _value(known, explanation.pieces, k) for k in telling} if others else {}
    return bool(telling) and (
        not others
        or any(
            tells_apart(
                due[k], _value(known, {**explanation.pieces, **pieces}, k), known.cases[k].tolerance
            )
            for pieces in others
            for k in telling
        )
    )


def _cases_right(known: Answers, part: Part, explanation: Explanation, got: Sequence[Any]) -> bool:
    rounding = max((switch.tolerance for switch in explanation.switches), default=0.0)
    return all(
        first_difference(value, due, max(case.tolerance, rounding)) is None
        for case, value, due in zip(known.cases, got, known.expected, strict=True)
        if case.name in part.cases
    )


def _others(known: Answers, part: Part, explanation: Explanation) -> Iterator[Pieces]:
    """Yield the mistakes in a part that can be made beside those found."""
    if any(switch.alone for switch in explanation.switches):
        return
    for switch in known.exercise.switches:
        if part.key not in switch.costs or switch.alone or switch.stateful:
            continue
        apart = (form for form in switch.forms if form.keys().isdisjoint(explanation.pieces))
        form = next(apart, None)
        if form is not None and switch not in explanation.switches:
            yield form


def _value(known: Answers, pieces: Pieces, k: int) -> Any:
    return run_case(known.exercise, make_variant(known.exercise, pieces), known.cases[k])


def tells_apart(due: Any, other: Any, tolerance: float) -> bool:
    """Say whether the finite numbers of one result are not those of another."""
    if isinstance(due, Raised):
        return False
    if isinstance(due, (list, tuple)) and type(due) is type(other) and len(due) == len(other):
        return any(tells_apart(a, b, tolerance) for a, b in zip(due, other, strict=True))
    if isinstance(due, float) and not math.isfinite(due):
        return False
    if isinstance(due, np.ndarray) and due.dtype.kind == "f":
        finite = np.isfinite(due)
        if isinstance(other, np.ndarray) and other.shape == due.shape:
            other = other[finite]
        due = due[finite]
        if not due.size:
            return False
    return first_difference(due, other, tolerance) is not None
