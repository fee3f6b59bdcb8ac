"""Score on hidden inputs. Instructors only: the student bundle leaves this file out.

The hidden lines of a test cell turn the visible check's `score_function` into one that draws its
inputs from another seed. Every graded notebook draws its own, unless the environment names one:

    COURSE_HIDDEN_SEED=20251 nbgrader autograde lesson-14

Each graded cell records the seed in the metadata of its output, so that any grade can be
reproduced.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from course_lib.assignment.scored import Scored
from course_lib.checks import VISIBLE_SEED

VARIABLE = "COURSE_HIDDEN_SEED"
SMALLEST, LIMIT = 1_000, 2**128  # too many to try out what inputs they give


def on_hidden_inputs(score_function: Callable[..., Scored]) -> Callable[[str, Any], Scored]:
    """Return `score_function` with the seed of this grading run."""
    return partial(score_function, seed=hidden_seed())


def hidden_seed() -> int:
    """Return the seed of this grading run.

    Raises:
        ValueError: COURSE_HIDDEN_SEED is no whole number from 1,000 up to, not including, 2¹²⁸.
    """
    given = os.environ.get(VARIABLE)
    if given is None:
        return _drawn()
    if not (given.isascii() and given.isdigit() and SMALLEST <= int(given) < LIMIT):
        raise ValueError(
            f"{VARIABLE} must be a whole number from {SMALLEST:,} to {LIMIT - 1:,}, got {given!r}: "
            f"smaller ones are left to the visible check, whose seed {VISIBLE_SEED} everybody knows"
        )
    return int(given)


@cache
def _drawn() -> int:
    """One seed for each kernel, hence for each graded notebook."""
    return SMALLEST + secrets.randbelow(LIMIT - SMALLEST)
