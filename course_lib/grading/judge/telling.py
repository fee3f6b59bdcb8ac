"""What went wrong, in words: for the instructor in full, for the student without hidden things."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.grading.judge.few_words import Lines, Place, common_type, place_told
from course_lib.grading.judge.proxies import error_name


def places(told: Mapping[str, Any], lines: Lines) -> list[Place]:
    """Return the lines of the student's cells that an exception passed through.

    What the far side says is checked: only lines that exist are believed.
    """
    found = []
    where = told.get("where")
    for place in where if isinstance(where, list) else ():
        if not isinstance(place, list) or len(place) != 2:
            continue
        label, number = place
        known = type(label) is str and type(number) is int and label in lines
        if known and 1 <= number <= len(lines[label]):
            found.append((label, number))
    return found[-20:]


def line_of(place: Place, lines: Lines) -> str:
    """Return one line of a cell, as it is quoted in a sentence."""
    return lines[place[0]][place[1] - 1].strip()[:200]


def own_error(told: Mapping[str, Any], lines: Lines) -> str:
    """Say in a sentence what the student's code raised, and where."""
    text = str(told.get("text", ""))[:500]
    said = f"Your code raised {error_name(told)}" + (f": {text}" if text else "")
    found = places(told, lines)
    if found:
        label, number = found[-1]
        said += f" (line {number} of your {label}: {line_of(found[-1], lines)})"
    return said


def hidden_error(told: Mapping[str, Any], own: Lines) -> str:
    """Say the same of code that may have seen hidden inputs, in few words.

    own: the cells that the student wrote.
    """
    found = places(told, own)
    where = place_told(found[-1], own) if found else ""
    return f"Your code raised {common_type(told)}" + (f" ({where})" if where else "")


def error_output(name: str, text: str, trace: Sequence[str]) -> dict[str, Any]:
    """Return an error as a notebook's output."""
    head = f"{name}: {text}" if text else name
    return {
        "output_type": "error",
        "ename": name,
        "evalue": text,
        "traceback": [*trace, head],
    }


def far_output(told: Mapping[str, Any], lines: Lines) -> dict[str, Any]:
    """Return an exception in the student's own cell as an output of that cell."""
    kinds = told.get("kinds")
    own = str(kinds[0]).rpartition(".")[2][:60] if isinstance(kinds, list) and kinds else ""
    known = own if own.isidentifier() or hasattr(builtins, own) else error_name(told)
    return error_output(known, str(told.get("text", ""))[:2000], trace(places(told, lines), lines))


def trace(found: Sequence[Place], lines: Lines) -> list[str]:
    """Return a traceback's lines: where it went, outermost first."""
    return [f"{label}, line {n}:  {line_of((label, n), lines)}" for label, n in found]
