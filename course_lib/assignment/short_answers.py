"""Questions whose answer is a number, a name or a list: points for each, and named mistakes.

A question judges all its answers together, because a number may depend on the model that the
student chose. `Sheet` is the paper on which it notes points and remarks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose, isfinite
from typing import Any

import numpy as np

from course_lib.checks.observe import NotPlainError, plain
from course_lib.checks.report import Diagnosis, PartResult, Report

LARGEST = 10**18  # beyond it an int need not fit into a float
NEAR = 0.02  # as near as this a number was rounded rather than wrong
WHOLE = "the whole number"


@dataclass(frozen=True)
class Known:
    """A number that a common mistake leads to."""

    value: float
    title: str
    message: str


@dataclass(frozen=True)
class Question:
    """A set of answers that belong together.

    names: the variables that hold the answers; judge: notes points and remarks on the sheet.
    """

    name: str
    section: str
    names: tuple[str, ...]
    max_score: float
    judge: Callable[[Sheet], None]


@dataclass
class Sheet:
    """One student's answers to a question, and what is noted beside them."""

    question: Question
    answers: Mapping[str, Any]
    parts: list[PartResult] = field(default_factory=list)
    remarks: list[Diagnosis] = field(default_factory=list)

    def __getitem__(self, name: str) -> Any:
        return self.answers[name]

    def mark(self, title: str, points: float, right: bool) -> bool:
        """Note the points of one part."""
        self.parts.append(PartResult(title, points, points if right else 0))
        return right

    def remark(self, id: str, title: str, message: str) -> None:  # noqa: A002
        """Note a mistake."""
        self.remarks.append(Diagnosis(id, title, message, self.question.section))

    def number(
        self,
        name: str,
        points: float,
        expected: float,
        tolerance: float = 1e-4,
        known: Sequence[Known] = (),
        title: str = "",
        digits: str = "at least five digits",
    ) -> bool:
        """Mark an answer that must equal `expected`, relatively to `tolerance`.

        digits: what to ask for where the number is near, but not near enough.
        """
        value = self[name]
        title = title or name
        if value is None:
            return self.mark(f"{title}: not answered yet", points, right=False)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            kind = type(value).__name__
            self.remark("no_number", f"{name} is no number",
                        f"It is of type {kind}. Write {name} = followed by a number.")  # fmt: skip
            return self.mark(title, points, right=False)
        if abs(value) > LARGEST or not isfinite(value):
            self.remark("too_large", f"{name} is no number of this world", "Check the formula.")
            return self.mark(title, points, right=False)
        if isclose(value, expected, rel_tol=tolerance):
            return self.mark(title, points, right=True)
        for mistake in known:
            if isclose(value, mistake.value, rel_tol=tolerance):
                self.remark("known", f"{name}: {mistake.title}", mistake.message)
                return self.mark(title, points, right=False)
        self._far_or_rounded(name, value, expected, tolerance, digits)
        return self.mark(title, points, right=False)

    def _far_or_rounded(
        self, name: str, value: float, expected: float, tolerance: float, digits: str
    ) -> None:
        if isclose(value, expected, rel_tol=NEAR):
            self.remark("rounded", f"{name} is near, but not exact enough", f"Give {digits}.")
        elif 0 < expected < 1 and isclose(value, 100 * expected, rel_tol=NEAR):
            self.remark("percent", f"{name} is in percent",
                        f"Give a number between 0 and 1, with {digits}.")  # fmt: skip
        elif value and isclose(1 / value, expected, rel_tol=tolerance):
            self.remark("inverted", f"{name} is upside down", "Swap numerator and denominator.")
        else:
            self.remark("wrong", f"{name}{_shown(value)} is not right",
                        "None of the common mistakes leads to this number. Print the terms that "
                        "it is made of, one by one.")  # fmt: skip


def _shown(value: float) -> str:
    """Return " = 3" for a message.

    Nothing in grading: an answer could be made of the hidden inputs that another test used.
    """
    if os.environ.get("NBGRADER_EXECUTION"):
        return ""
    return f" = {value:,}" if isinstance(value, int) else f" = {value:g}"


def examine_answers(question: Question, answers: Mapping[str, Any]) -> Report:
    """Judge the answers to a question."""
    if set(answers) != set(question.names):
        raise TypeError(f"{question.name} has the answers {', '.join(question.names)}")
    kept, refused = {}, []
    for name, value in answers.items():
        try:
            kept[name] = _simple(plain(value))
        except NotPlainError as error:
            kept[name] = None
            refused.append(f"{name} is {error}")
    sheet = Sheet(question, kept)
    question.judge(sheet)
    if refused:
        sheet.remark("refused_type", "An answer is no plain value",
                     "; ".join(refused) + ". Write numbers, text or lists.")  # fmt: skip
    elif all(value is None for value in kept.values()):
        names = ", ".join(question.names)
        sheet.remarks = []
        sheet.remark("not_written", "Not answered yet", f"Give these a value: {names}.")
    return Report(question.name, tuple(sheet.parts), tuple(sheet.remarks))


def _simple(value: Any) -> Any:
    """Turn arrays into lists, and an array of one number into the number."""
    return value.tolist() if isinstance(value, np.ndarray) else value
