"""The form of a result: the right type, before any number is looked at.

A result of the wrong form costs points, but the numbers inside are still read where they can be,
so that a student hears of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from course_lib.checks.compare import Raised


@dataclass(frozen=True)
class FormProblem:
    """What is wrong with the form of a result; `value` is the result read as it was meant."""

    id: str
    title: str
    message: str
    value: Any


def as_expected_form(value: Any, expected: Any) -> tuple[Any, FormProblem | None]:
    """Return the value in the form that is expected, and what had to be overlooked for that."""
    if isinstance(value, Raised) or isinstance(expected, Raised):
        return value, None
    if isinstance(expected, list) and isinstance(value, list) and len(value) == len(expected):
        pairs = [as_expected_form(v, e) for v, e in zip(value, expected, strict=True)]
        return [v for v, _ in pairs], next((p for _, p in pairs if p), None)
    if isinstance(expected, tuple) and isinstance(value, np.ndarray):
        plain = all(type(item) is float for item in expected)
        if plain and value.shape == (len(expected),) and value.dtype.kind in "iuf":
            value = tuple(map(float, value))  # an array of two numbers is as good as a pair
    if isinstance(expected, tuple) and type(value) in (list, tuple) and len(value) == len(expected):
        pairs = [as_expected_form(v, e) for v, e in zip(value, expected, strict=True)]
        return tuple(v for v, _ in pairs), next((p for _, p in pairs if p), None)
    if value is None:
        return value, FormProblem(
            "returns_none", "Not written yet, or `return` is missing",
            "The function ends without a result: nothing is returned.", value,
        )  # fmt: skip
    if isinstance(expected, np.ndarray):
        return _as_array(value, expected)
    if type(expected) is int:
        return _as_int(value)
    if type(expected) is float:
        return _as_float(value)
    return value, None


def _as_array(value: Any, expected: np.ndarray[Any, Any]) -> tuple[Any, FormProblem | None]:
    if isinstance(value, tuple) and value and isinstance(value[0], np.ndarray):
        return value[0], FormProblem(
            "returns_tuple", "A tuple is returned, not one array",
            "The result is a tuple; return the array alone.", value[0],
        )  # fmt: skip
    if isinstance(value, (list, tuple)):
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            return value, None
        if expected.dtype.kind == "b" and bool(np.isin(array, (0, 1)).all()):
            array = array.astype(bool)
        return array, FormProblem(
            "returns_list", "A list is returned, not an array",
            "Return a NumPy array: np.array(…) or np.stack(…).", array,
        )  # fmt: skip
    if expected.dtype.kind == "b" and isinstance(value, np.ndarray) and value.size > 0:
        # a single 0 may be an index; a single 1 stands for True
        numbers = value.dtype.kind in "iuf" and (value.size > 1 or np.array_equal(value, expected))
        if numbers and value.shape == expected.shape and bool(np.isin(value, (0, 1)).all()):
            return value.astype(bool), FormProblem(
                "returns_numbers", "Numbers 0 and 1 are returned, not True and False",
                "Return a boolean array (dtype bool): a comparison such as s >= t gives one.",
                value.astype(bool),
            )  # fmt: skip
    return value, None


def _as_int(value: Any) -> tuple[Any, FormProblem | None]:
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "iu":
        value = int(value.reshape(()))
        return value, None
    if isinstance(value, float) and value.is_integer():
        return int(value), FormProblem(
            "returns_float", "A float is returned, not an int",
            "A count is a whole number: use // instead of /, and no powers such as d ** 2.0. "
            "Beyond 2⁵³ a float is no longer exact.", int(value),
        )  # fmt: skip
    return value, None


def _as_float(value: Any) -> tuple[Any, FormProblem | None]:
    if isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iuf":
        return float(value), None
    if isinstance(value, tuple) and value and type(value[0]) is float:
        return value[0], FormProblem(
            "returns_tuple", "A tuple is returned, not one number",
            "The result is a tuple; return the number alone.", value[0],
        )  # fmt: skip
    return value, None
