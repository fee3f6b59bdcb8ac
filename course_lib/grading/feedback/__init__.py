"""Feedback: one HTML page for each student and notebook, with nothing in it that must stay hidden.

`make feedback` writes the pages; FEEDBACK_PREPROCESSORS makes nbgrader's own command and the
formgrader's button hide the same things.
"""

from __future__ import annotations

from typing import Any

from course_lib.grading.feedback.page import render_page
from course_lib.grading.feedback.write import Written, write_feedback

__all__ = ["FEEDBACK_PREPROCESSORS", "Written", "render_page", "write_feedback"]


def __getattr__(name: str) -> Any:
    """Load nbconvert only where nbgrader's own way to the feedback is wanted."""
    if name == "FEEDBACK_PREPROCESSORS":
        from course_lib.grading.feedback.preprocessors import FEEDBACK_PREPROCESSORS

        return FEEDBACK_PREPROCESSORS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
