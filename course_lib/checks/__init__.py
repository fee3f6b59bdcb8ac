"""What a right answer to an exercise is, and which classic mistake a wrong one makes.

>>> from course_lib import gpt_logits
>>> from course_lib.checks import check
>>> check("gpt_logits", gpt_logits).passed
True

The notebook's visible check, the hidden tests and `python -m course_lib.checks` all call `check`.
A mistake is named by comparing numbers: the reference with that mistake built in gives exactly
what the submission gives. The catalogue of mistakes is in `exercises/`.
"""

from __future__ import annotations

from typing import Any

from course_lib.checks.examine import examine
from course_lib.checks.exercises import EXERCISES
from course_lib.checks.report import Diagnosis, PartResult, Report

__all__ = ["Diagnosis", "PartResult", "Report", "check", "exercises", "max_score"]

VISIBLE_SEED = 14


def check(name: str, function: Any, seed: int | None = None, visible: bool | None = None) -> Report:
    """Check a function and return points, by part, and the mistakes by name.

    Args:
        name: an exercise, one of `exercises()`.
        function: the student's function, or an object with `observe` that calls it elsewhere.
        seed: the hidden inputs are drawn from it; None means the inputs of the visible check.
        visible: whether messages may show inputs; by default only without a seed.

    Raises:
        ValueError: no exercise of that name.
        TypeError: `function` cannot be called.
    """
    if name not in EXERCISES:
        raise ValueError(f"no exercise is called {name!r}; there are: {', '.join(exercises())}")
    show = seed is None if visible is None else visible
    return examine(EXERCISES[name], function, VISIBLE_SEED if seed is None else seed, show)


def exercises() -> list[str]:
    """Return the names of all exercises."""
    return list(EXERCISES)


def max_score(name: str) -> float:
    """Return the points that a right answer to an exercise earns."""
    return EXERCISES[name].max_score
