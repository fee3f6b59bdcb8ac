"""The seam between the checks and a student's function: plain data in, an `Outcome` out.

The checks never touch a student's object. In the notebook the function is called in the same
process. A judge that keeps the student's code elsewhere passes a `Remote`; nothing else changes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from course_lib.checks.observe import Outcome, observe
from course_lib.checks.remote import Remote, remote_outcome
from course_lib.checks.tampering import means_of_tampering


class Submission:
    """The student's function, ready to be called."""

    def __init__(self, function: Any) -> None:
        if not callable(function) and not isinstance(function, Remote):
            raise TypeError(f"expected the function to check, got {type(function).__name__}")
        self._function = function

    @cached_property
    def tampering(self) -> str:
        """What in the student's cells could hide how they behave, where that matters; "" if none.

        In the notebook it does not: the student sees it all.
        """
        written = getattr(self._function, "written", None)
        return (
            means_of_tampering(written()) if isinstance(self._function, Remote) and written else ""
        )

    def __call__(self, *args: Any, count_steps: bool = False, **kwargs: Any) -> Outcome:
        """Call it once; an exception is part of the outcome."""
        if isinstance(self._function, Remote):
            return remote_outcome(self._function, args, kwargs, count_steps)
        return observe(self._function, args, kwargs, count_steps)
