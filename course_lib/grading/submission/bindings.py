"""The names that a student's code binds at the top level, told line by line.

A parser would give up on code with one wrong character, and on two halves of a function.
"""

from __future__ import annotations

import ast
import re
import warnings
from itertools import pairwise

from course_lib.grading.submission.cells import MAX_PARSED

_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w++)", re.MULTILINE)
_TARGET = r"[ \t(\[]*+[A-Za-z_]\w*+[ \t)\]]*+(?::[^=\n]++)?"
_ASSIGNMENT = re.compile(
    rf"^(?=[A-Za-z_(\[])({_TARGET}(?:,{_TARGET})*,?[ \t)\]]*+)=(?!=)([^\n]*+)", re.MULTILINE
)
_CHAINED = re.compile(r"[ \t]*+([A-Za-z_]\w*+)[ \t]*+=(?!=)")
_NAME = re.compile(r"\b([A-Za-z_]\w*+)[ \t)\]]*+(?::[^,]*+)?(?:,|$)")
_BLOCK_START = re.compile(r"\n[ \t]*\n(?=[A-Za-z_@#(])(?!(?:else|elif|except|finally)\b)")


def bindings(source: str) -> frozenset[str]:
    """Return the names of functions, classes and variables that begin a line of the code."""
    source = source[:MAX_PARSED]
    names = {found[1] for found in _DEFINITION.finditer(source)}
    for found in _ASSIGNMENT.finditer(source):
        names.update(name[1] for name in _NAME.finditer(found[1].strip()))
        rest, position = found[2], 0
        while chained := _CHAINED.match(rest, position):  # a = b = 1
            names.add(chained[1])
            position = chained.end()
    return frozenset(names)


def blocks(source: str) -> list[str]:
    """Return the code in pieces that can stand alone: definitions, and paragraphs of the rest."""
    starts = _statement_starts(source)
    if starts is None:
        cuts = [0, *(found.end() for found in _BLOCK_START.finditer(source)), len(source)]
        pieces = [source[a:b] for a, b in pairwise(cuts)]
    else:
        lines = source.split("\n")
        cuts = [0, *starts, len(lines)]
        pieces = ["\n".join(lines[a:b]) for a, b in pairwise(cuts)]
    return [piece.strip("\n") for piece in pieces if piece.strip()]


def _statement_starts(source: str) -> list[int] | None:
    """Return the 0-based lines at which a new piece begins; None if it cannot be parsed."""
    if len(source) > MAX_PARSED:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = source.split("\n")
    starts: list[int] = []
    own, end = False, 0  # whether the statement before stands by itself; the line after it
    for statement in body:
        definition = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        first = first_line(statement) - 1
        while first > end and lines[first - 1].startswith("#"):
            first -= 1
        gap = first > 0 and not lines[first - 1].strip()
        if (definition or own or gap) and first >= end and first > 0:
            starts.append(first)
        own, end = definition, statement.end_lineno or first + 1
    return starts


def first_line(statement: ast.stmt) -> int:
    """Return the number (from 1) of the line where it begins, its decorators included."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([statement.lineno, *(mark.lineno for mark in statement.decorator_list)])
    return statement.lineno
