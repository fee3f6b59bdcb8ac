"""Outcomes of calls that were made elsewhere, by a judge that keeps the student's code apart.

There `observe.told` does what `observe.observe` does here. What comes back is the student's word:
it may be wrong, and it may try to carry hidden inputs into a message. So every part is checked,
and nothing is passed on but what a student's code could not have made up.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from course_lib.checks.observe import (
    GLOBAL_GENERATOR,
    NotPlainError,
    Outcome,
    StudentError,
    plain,
)

INSTRUMENT = "observe.told"
REFUSED = re.compile(
    r"an array of dtype (object|complex(64|128|256)|str|bytes|void|datetime64|timedelta64); "
    "it must hold real numbers"
)
OWN_TYPE = "an object of another type"
TOO_LARGE = "something too large"
KNOWN_TYPES = frozenset(
    [name for name, value in vars(builtins).items() if isinstance(value, type)]
    + ["generator", "function", "numpy.matrix", "numpy.ma.MaskedArray", "module", "numpy.ndarray"]
)
KNOWN_ERRORS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
) | {"LinAlgError", "AxisError"}


@runtime_checkable
class Remote(Protocol):
    """A function that lives elsewhere."""

    def through(self, instrument: str, args: Any, kwargs: Any, **options: Any) -> Any:
        """Call it there, wrapped in a function of an instrument, and return what that returns."""
        ...

    def line(self, cell: str, number: int) -> str:
        """Return a line of the student's code from the judge's own copy; "" if there is none."""
        ...


def remote_outcome(
    function: Remote, args: tuple[Any, ...], kwargs: dict[str, Any], count_steps: bool
) -> Outcome:
    """Call a remote function once."""
    try:
        told = function.through(INSTRUMENT, args, kwargs, count_steps=count_steps)
    except BaseException as error:
        if hasattr(error, "too_large"):  # what came back cannot cross
            return Outcome(refused=TOO_LARGE if error.too_large else OWN_TYPE)
        if not isinstance(error, Exception):
            raise
        return Outcome(error=_broken(error))
    if not isinstance(told, dict):
        return Outcome(refused=OWN_TYPE)
    steps = told.get("steps")
    try:
        value = plain(told.get("value"))
    except NotPlainError:
        return Outcome(refused=OWN_TYPE)
    return Outcome(
        value=value,
        error=_error(told.get("error"), function),
        refused=_refused(told.get("refused")),
        changed=_known(told.get("changed"), {*_places("", args), *_places("", kwargs)}),
        steps=steps if type(steps) is int else None,
        shared=_known(told.get("shared"), set(_places("", value)))[:2],
    )


def _broken(error: Exception) -> StudentError:
    kind = type(error).__name__
    return StudentError(kind if kind in KNOWN_ERRORS else "Exception", "")


def _error(told: Any, function: Remote) -> StudentError | None:
    if not isinstance(told, dict):
        return None
    kind, text, number, cell = (told.get(key) for key in ("kind", "text", "line_number", "file"))
    kind = kind if isinstance(kind, str) and kind in KNOWN_ERRORS else "Exception"
    line = ""
    if type(number) is int and isinstance(cell, str):
        line = function.line(cell.strip("<>"), number)
    return StudentError(kind, str(text)[:300], number if line else None, line)


def _refused(told: Any) -> str:
    if not told:
        return ""
    text = str(told)
    known = text.removeprefix("a ") in KNOWN_TYPES or text == "it is nested too deeply"
    return text if known or REFUSED.fullmatch(text) else OWN_TYPE


def _known(told: Any, places: set[str]) -> tuple[str, ...]:
    """Keep the places that exist."""
    found = told if isinstance(told, list | tuple) else ()
    return tuple(p for p in found if isinstance(p, str) and (p in places or p == GLOBAL_GENERATOR))


def _places(where: str, value: Any) -> Iterator[str]:
    """Yield the expressions by which the entries of nested data are named."""
    yield where
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(f"{where}[{key!r}]", item)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _places(f"{where}[{number}]", item)
