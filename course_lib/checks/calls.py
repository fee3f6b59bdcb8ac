"""The seam between the checks and a student's function: plain data in, an `Outcome` out.

The checks never touch a student's object. In the notebook the function is called in the same
process. A judge that keeps the student's code elsewhere passes a `Remote`; nothing else changes.
"""

from __future__ import annotations

from typing import Any

from course_lib.checks.observe import Outcome, observe
from course_lib.checks.remote import Remote, remote_outcome


class Submission:
    """The student's function, ready to be called."""

    def __init__(self, function: Any) -> None:
        if not callable(function) and not isinstance(function, Remote):
            raise TypeError(f"expected the function to check, got {type(function).__name__}")
        self._function = function

    def __call__(self, *args: Any, count_steps: bool = False, **kwargs: Any) -> Outcome:
        """Call it once; an exception is part of the outcome."""
        if isinstance(self._function, Remote):
            return remote_outcome(self._function, args, kwargs, count_steps)
        return observe(self._function, args, kwargs, count_steps)
