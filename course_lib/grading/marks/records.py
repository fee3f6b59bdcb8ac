"""What is known of an assignment's submissions, as plain records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from course_lib.grading.result import Result


@dataclass(frozen=True)
class Person:
    """A student of the course; names may be empty."""

    id: str
    first_name: str = ""
    last_name: str = ""

    @property
    def name(self) -> str:
        """Given and family name."""
        return f"{self.first_name} {self.last_name}".strip()


@dataclass(frozen=True)
class Exercise:
    """One graded cell of the assignment."""

    notebook: str
    grade_id: str
    max_score: float
    cell_type: str = "code"


@dataclass(frozen=True)
class Mark:
    """The points of one graded cell in the gradebook.

    score: what counts, by nbgrader's rule: the grader's points before the judge's, plus extra
    credit. waiting: a person has yet to grade it.
    """

    grade_id: str
    score: float
    max_score: float
    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    waiting: bool = False


@dataclass(frozen=True)
class NotebookMarks:
    """One notebook of one student: points, comments by grade id, and the late penalty.

    id: nbgrader's id, the last part of the formgrader's address; name: the student's, if known.
    """

    student: str
    notebook: str
    id: str = ""
    late_penalty: float = 0.0
    marks: Mapping[str, Mark] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    result: Result | None = None
    name: str = ""

    @property
    def raw_score(self) -> float:
        """Points before the late penalty."""
        return sum(mark.score for mark in self.marks.values())

    @property
    def score(self) -> float:
        """Points after the late penalty, never below 0."""
        return max(0.0, self.raw_score - self.late_penalty)

    @property
    def max_score(self) -> float:
        """Points that can be had."""
        return sum(mark.max_score for mark in self.marks.values())


@dataclass(frozen=True)
class Submission:
    """What one student handed in: notebooks by name, when (UTC), and how late."""

    student: str
    notebooks: Mapping[str, NotebookMarks]
    timestamp: datetime | None = None
    seconds_late: float = 0.0

    @property
    def late_penalty(self) -> float:
        """Points taken off in all notebooks."""
        return sum(notebook.late_penalty for notebook in self.notebooks.values())

    @property
    def score(self) -> float:
        """The total, as nbgrader exports it: all points, less all penalties, never below 0."""
        raw = sum(notebook.raw_score for notebook in self.notebooks.values())
        return max(0.0, raw - self.late_penalty)


@dataclass(frozen=True)
class AssignmentMarks:
    """One assignment: its exercises in order, the course's students, the submissions by student.

    due: when it is due (UTC), None where the gradebook has no date.
    """

    assignment: str
    exercises: tuple[Exercise, ...]
    students: Mapping[str, Person]
    submissions: Mapping[str, Submission]
    due: datetime | None = None

    @property
    def max_score(self) -> float:
        """Points that can be had."""
        return sum(exercise.max_score for exercise in self.exercises)

    def notebooks(self) -> Iterator[NotebookMarks]:
        """All notebooks of all submissions."""
        for submission in self.submissions.values():
            yield from submission.notebooks.values()
