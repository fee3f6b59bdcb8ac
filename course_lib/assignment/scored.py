"""A report that a notebook shows as text for people and nbgrader reads as a number of points.

nbgrader 0.9.6 takes the text/plain form of a test cell's result as the score if it is a number.
Front ends show the text/html form if there is one. So one output serves both.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass, replace
from typing import Any

from course_lib.assignment.own_work import borrowed_functions
from course_lib.assignment.questions import QUESTIONS
from course_lib.assignment.short_answers import examine_answers
from course_lib.checks import check
from course_lib.checks.report import Diagnosis, Report


@dataclass(frozen=True)
class Scored:
    """The result of a test cell."""

    report: Report

    def __repr__(self) -> str:
        return f"{self.report.score:g}"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the report, and beside it what it takes to reproduce the grade.

        The seed goes into the output's metadata, as text, since JavaScript rounds long numbers: the
        graded notebook keeps it there, and the feedback page does not show it. The mistakes go
        there too, for the class report.
        """
        found = self.report
        record = {"exercise": found.exercise, "score": found.score, "seed": str(found.seed)}
        mistakes = [
            {"id": f"{found.exercise}.{note.id}", "title": note.title, "message": note.message}
            for note in found.diagnoses
        ]
        data = {"text/html": found._repr_html_(), "text/plain": repr(self)}
        return data, {"course": record, "judge": {"mistakes": mistakes}}


def score_function(name: str, function: Any, seed: int | None = None) -> Scored:
    """Check a function against the exercise `name`; without a seed on the visible inputs."""
    # nbgrader gives 0 for anything on stderr: what the student's code writes there goes to stdout.
    with contextlib.redirect_stderr(sys.stdout):
        report = check(name, function, seed)
        borrowed = borrowed_functions(name, function) if report.score else []
    return Scored(_not_own(report, borrowed[0]) if borrowed else report)


def score_answers(question: str, **answers: Any) -> Scored:
    """Check the short answers to a question, given by name."""
    return Scored(examine_answers(QUESTIONS[question], answers))


def _not_own(report: Report, borrowed: str) -> Report:
    parts = tuple(replace(part, earned=0) for part in report.parts)
    note = Diagnosis(
        "not_your_own", "The answer calls the course's own code",
        f"It runs {borrowed}. Write it yourself, with NumPy alone: where answers "
        "are graded, course_lib cannot be imported.", "",
    )  # fmt: skip
    return replace(report, parts=parts, diagnoses=(note,), error=None)
