"""What is told of calls on hidden inputs: one of few things, so that no answer says much by them.

An answer can choose by a hidden input what it raises, which arguments it changes, what it returns
in place of numbers. The visible check, which everyone can run, tells all of these in full.
"""

from __future__ import annotations

import builtins

COMMON_ERRORS = (
    "AttributeError", "IndexError", "KeyError", "NameError", "TypeError", "ValueError",
    "ZeroDivisionError",
)  # fmt: skip
COMMON_TYPES = frozenset(
    f"a {name}"
    for name in ("generator", "map", "zip", "range", "set", "function", "numpy.matrix", "type")
)
MOST_MISTAKES = 3
OTHER_ERROR, OTHER_TYPE = "an exception", "an object of another type"


def error_in_few_words(kind: str) -> str:
    """Return the first of an exception's types that is a common one, else "an exception"."""
    types = getattr(getattr(builtins, kind, None), "__mro__", ())
    return next((t.__name__ for t in types if t.__name__ in COMMON_ERRORS), OTHER_ERROR)


def type_in_few_words(refused: str) -> str:
    """Return what came in place of plain data, if that is often so."""
    return refused if refused in COMMON_TYPES else OTHER_TYPE
