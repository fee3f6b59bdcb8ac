"""What counts as equal, and where two results first differ.

Values are those of `observe.plain`: numbers, strings, None, lists, tuples, dicts and arrays, and
`Raised` where a call ended in an exception. Numbers agree if they differ by at most `tolerance`
times the scale, which is the largest expected magnitude in that array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from course_lib.checks.few_words import error_in_few_words

EXCEPTION = "the exception "


@dataclass(frozen=True)
class Raised:
    """Stands for the value of a call that raised; `kind` is the name of the exception."""

    kind: str


class Facts(dict[str, Any]):
    """Statements about a result, such as {"the shape of P['wte']": "(5, 4)"}."""


@dataclass(frozen=True)
class Difference:
    """The first place where a result is not what was expected.

    what: "type", "shape", "dtype", "value", "statement" (a fact not so) or "raised".
    place: an expression such as [0, 3, 5], "" at the top.
    error: the largest difference relative to the scale (values only, else infinity).
    """

    what: str
    place: str
    got: str
    expected: str
    error: float = float("inf")

    def sentence(self, quoted: bool = True) -> str:
        """Say what came and what was expected.

        quoted: whether both are told, and where; else only of what kind the difference is, for a
        wrong value can be made of hidden inputs, and so can a shape or the place of an entry.
        """
        if self.what == "raised" and self.got.startswith(EXCEPTION):
            kind = self.got.removeprefix(EXCEPTION)
            return f"Your code stopped with {kind if quoted else error_in_few_words(kind)}"
        named = bool(self.place) and not self.place.startswith("[")
        if not quoted:
            of = "" if self.what in ("value", "raised") else f"the {self.what} of "
            return f"Not as expected: {of}{self.place if named else 'the result'}"
        where = f" {'for' if named else 'at'} {self.place}" if self.place else ""
        return f"Got {self.got}{where}, expected {self.expected}"


def kind_of(value: Any) -> str:
    """Name the kind of a value for a reader: 'an array of shape (2, 3)', 'a tuple of 2'."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Raised):
        return EXCEPTION + value.kind
    if value is None:
        return "None"
    return f"{'an' if isinstance(value, int) else 'a'} {type(value).__name__}"


def number(value: Any) -> str:
    """Write a number for a reader: whole numbers with commas, others to ten digits."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return f"{int(value):,}"
    return f"{float(value):.10g}"


def first_difference(
    got: Any, expected: Any, tolerance: float, place: str = ""
) -> Difference | None:
    """Return the first difference between a result and what was expected, or None.

    Types must be exact: an int where an int is due (True is none), an array where an array is.
    A float is accepted as a Python float or as a 0-d array. NaN equals NaN.
    """
    if isinstance(got, Raised) or isinstance(expected, Raised):
        if isinstance(got, Raised) and isinstance(expected, Raised):
            return None
        return Difference("raised", place, kind_of(got), kind_of(expected))
    if isinstance(expected, float) and isinstance(got, np.ndarray) and got.shape == ():
        got = got.item()
    if isinstance(expected, float) and type(got) is int:
        got = float(got)
    if type(got) is not type(expected):
        return Difference("type", place, kind_of(got), kind_of(expected))
    if isinstance(expected, np.ndarray):
        return _array_difference(got, expected, tolerance, place)
    if isinstance(expected, float):
        return _float_difference(got, expected, tolerance, place)
    if isinstance(expected, (list, tuple, dict)):
        return _container_difference(got, expected, tolerance, place)
    if got == expected:
        return None
    came, due = (number(v) if isinstance(v, int) else str(v) for v in (got, expected))
    statement = type(expected) is bool and bool(place) and not place.startswith("[")
    return Difference("statement" if statement else "value", place, came, due)


def _container_difference(
    got: Any, expected: Any, tolerance: float, place: str
) -> Difference | None:
    if isinstance(expected, Facts):
        return _facts_difference(got, expected, tolerance)
    if isinstance(expected, dict):
        if set(got) != set(expected):
            names = [", ".join(sorted(map(str, keys))) for keys in (got, expected)]
            return Difference("shape", place, f"the keys {names[0]}", f"the keys {names[1]}")
        pairs = [(f"{place}[{key!r}]", got[key], expected[key]) for key in expected]
    else:
        if len(got) != len(expected):
            return Difference("shape", place, kind_of(got), kind_of(expected))
        pairs = [(f"{place}[{i}]", got[i], item) for i, item in enumerate(expected)]
    for where, mine, due in pairs:
        found = first_difference(mine, due, tolerance, where)
        if found is not None:
            return found
    return None


def _facts_difference(got: Any, expected: Facts, tolerance: float) -> Difference | None:
    """Compare what both know of first, then tell of the first fact that only one has."""
    for name in expected:
        found = (
            first_difference(got[name], expected[name], tolerance, name) if name in got else None
        )
        if found is not None:
            return found
    alone = [name for name in (*expected, *got) if (name in got) != (name in expected)]
    if not alone:
        return None
    came, due = (str(facts.get(alone[0], "nothing")) for facts in (got, expected))
    return Difference("value", alone[0], came, due)


def _float_difference(
    got: float, expected: float, tolerance: float, place: str
) -> Difference | None:
    if got == expected or (np.isnan(got) and np.isnan(expected)):
        return None
    error = abs(got - expected) / (abs(expected) or 1.0)
    if error <= tolerance:
        return None
    return Difference("value", place, number(got), number(expected), error)


def _array_difference(
    got: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], tolerance: float, place: str
) -> Difference | None:
    if got.shape != expected.shape:
        return Difference("shape", place, f"shape {got.shape}", f"shape {expected.shape}")
    if got.dtype.kind != expected.dtype.kind:
        return Difference("dtype", place, f"dtype {got.dtype}", f"dtype {expected.dtype}")
    if expected.size == 0:
        return None
    if expected.dtype.kind in "biu":
        wrong = got != expected
        error = float("inf")
    else:
        finite = np.abs(expected[np.isfinite(expected)])
        scale = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
        with np.errstate(all="ignore"):
            gap = np.abs(got.astype(np.float64) - expected) / scale
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        wrong = ~(same | (gap <= tolerance))
        gap = np.where(same, 0.0, gap)
        error = float(np.nanmax(gap)) if not np.isnan(gap).any() else float("inf")
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"{place}[{', '.join(map(str, index))}]"
    return Difference("value", where, number(got[index]), number(expected[index]), error)
