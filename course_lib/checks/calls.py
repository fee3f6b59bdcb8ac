"""The seam between the checks and a student's function: plain data in, an `Outcome` out.

The checks never touch a student's object. In the notebook the function is called in the same
process. A judge that keeps the student's code elsewhere passes an object with a method
`observe(args, kwargs, count_steps) -> Outcome` instead; nothing else has to change.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from course_lib.checks.observe import Outcome, observe


@runtime_checkable
class Remote(Protocol):
    """A function that lives elsewhere and reports what a call of it did."""

    def observe(self, args: tuple[Any, ...], kwargs: dict[str, Any], count_steps: bool) -> Outcome:
        """Call it once with plain data."""
        ...


class Submission:
    """The student's function, ready to be called."""

    def __init__(self, function: Any) -> None:
        if not callable(function) and not isinstance(function, Remote):
            raise TypeError(f"expected the function to check, got {type(function).__name__}")
        self._function = function

    def __call__(self, *args: Any, count_steps: bool = False, **kwargs: Any) -> Outcome:
        """Call it once; an exception is part of the outcome."""
        if isinstance(self._function, Remote):
            return self._function.observe(args, kwargs, count_steps)
        return observe(self._function, args, kwargs, count_steps)
