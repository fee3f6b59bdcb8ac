"""What is told of a run that hidden inputs are about: one of few things, so that it says little.

A student's code can choose, by a hidden input, what it raises, where, and which limit it hits. So
each test cell tells one of about a thousand things (ten bits) and no more, beside its points.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.grading.names import parse
from course_lib.grading.template import TemplateCell

Place = tuple[str, int]
Lines = Mapping[str, Sequence[str]]

TOLD_LINES = 100  # of code: with more, the number of one would tell too much
COMMON_TYPES = (
    "AttributeError", "IndexError", "KeyError", "NameError", "TypeError", "ValueError",
    "ZeroDivisionError",
)  # fmt: skip
COMMON_KINDS = frozenset(
    f"a {name}"
    for name in (
        *("generator", "map", "zip", "filter", "dict_keys", "dict_values", "function", "type"),
        *("matrix", "MaskedArray", "DataFrame", "Series"),
    )
)
OTHER_TYPE, OTHER_KIND = "an exception", "an object of another type"
# By the limit: not which of several ways there are to hit it, nor the name of a signal.
STOPS = {
    "cpu time": "Your code computed longer than is allowed and was stopped.",
    "wall time": "Your code took longer than is allowed and was stopped.",
    "memory": "Your code needed more memory than is allowed.",
    "result size": "Your code returned something too large.",
    "crash": "Your code ended Python, made it crash, or answered with what is no answer.",
}


def common_type(told: Mapping[str, Any]) -> str:
    """Return the first of an exception's types that is a common one, else "an exception"."""
    kinds = told.get("kinds")
    for name in kinds if isinstance(kinds, list) else ():
        short = str(name).removeprefix("builtins.")
        if short in COMMON_TYPES:
            return short
    return OTHER_TYPE


def place_told(place: Place, own: Lines) -> str:
    """Return how a place is told, "" for not at all: its line, in long answers its cell alone.

    own: the cells that the student wrote.
    """
    label, number = place
    if not _is_code(own[label][number - 1]):
        return ""
    if sum(_is_code(line) for cell in own.values() for line in cell) <= TOLD_LINES:
        return f"line {number} of your {label}: {own[label][number - 1].strip()[:200]}"
    return f"in your {label}" if len(own) <= TOLD_LINES else ""


def line_told(label: str, number: int, own: Lines) -> str:
    """Return the line at a place, "" where it is not to be told."""
    if not 1 <= number <= len(own.get(label, ())):
        return ""
    return place_told((label, number), own).partition(": ")[2]


def _is_code(line: str) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.startswith("#")


def own_message(cell: TemplateCell, places: Sequence[Place], text: str) -> str:
    """Return the text of a failed assert if that is what the test's own line says, else "".

    A text that is not written there as a whole may be made of what the student's code returned.
    """
    number = places[-1][1] if places else 0
    try:
        nodes = list(ast.walk(parse(cell.source)))
    except SyntaxError:
        return ""
    said = [
        node.msg.value
        for node in nodes
        if isinstance(node, ast.Assert) and isinstance(node.msg, ast.Constant)
        and node.lineno <= number <= (node.end_lineno or 0)
    ]  # fmt: skip
    return text if text in said else ""
