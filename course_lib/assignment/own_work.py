"""Does an answer call the course's own functions?

In the judge `course_lib` cannot be imported, and such an answer fails. Here, in the notebook, the
student is told so at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from course_lib.checks import VISIBLE_SEED
from course_lib.checks.exercises import EXERCISES
from course_lib.checks.remote import Remote

COURSE = str(Path(__file__).resolve().parents[1]) + os.sep


def borrowed_functions(exercise: str, function: Any) -> list[str]:
    """Call the function once, on a visible input; name the functions of the course that ran.

    Empty for a function that lives behind a wall, where there is no course to call.
    """
    if isinstance(function, Remote):
        return []
    args = EXERCISES[exercise].make_cases(VISIBLE_SEED)[0].calls[0]
    found: dict[str, None] = {}

    def on_event(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(COURSE):
            place = code.co_filename.removeprefix(COURSE).removesuffix(".py").replace(os.sep, ".")
            found[f"course_lib.{place}.{code.co_name}"] = None

    before = sys.getprofile()
    # What the function raises was told by the check.
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.suppress(BaseException):
        warnings.simplefilter("ignore")
        sys.setprofile(on_event)
        try:
            function(*args)
        finally:
            sys.setprofile(before)
    return list(found)
