"""The grades of one assignment, read from nbgrader's gradebook in a handful of queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from course_lib.grading.marks.course import Course
from course_lib.grading.marks.ledger import read_results
from course_lib.grading.result import Result
from course_lib.grading.run.course import CourseError


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

    id: nbgrader's id, the last part of the formgrader's address.
    """

    student: str
    notebook: str
    id: str = ""
    late_penalty: float = 0.0
    marks: Mapping[str, Mark] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    result: Result | None = None

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
    """One assignment: its exercises in order, the course's students, the submissions by student."""

    assignment: str
    exercises: tuple[Exercise, ...]
    students: Mapping[str, Person]
    submissions: Mapping[str, Submission]

    @property
    def max_score(self) -> float:
        """Points that can be had."""
        return sum(exercise.max_score for exercise in self.exercises)

    def notebooks(self) -> Iterator[NotebookMarks]:
        """All notebooks of all submissions."""
        for submission in self.submissions.values():
            yield from submission.notebooks.values()


def read_marks(course: Course, assignment: str, results: bool = True) -> AssignmentMarks:
    """Read all of an assignment; `results` says whether to read the judge's ledger too.

    Raises:
        CourseError: there is no gradebook yet, or it does not know the assignment.
    """
    course.check_assignment(assignment)
    prefix = "sqlite:///"
    if course.db_url.startswith(prefix):
        file = Path(course.root, course.db_url.removeprefix(prefix).partition("?")[0])
        if not file.is_file():
            raise CourseError(f"no gradebook at {file}: run `make autograde` first")
    from nbgrader.api import Gradebook, MissingEntry

    with Gradebook(course.db_url, course_id=course.course_id) as gradebook:
        try:
            number = gradebook.find_assignment(assignment).id
        except MissingEntry:
            raise CourseError(
                f"the gradebook has no assignment {assignment!r}: check its name, or run "
                "`make autograde` first"
            ) from None
        session = gradebook.db
        people = _people(session)
        judged = read_results(session, assignment) if results else {}
        exercises = _in_order(_exercises(session, number), judged)
        return AssignmentMarks(
            assignment, exercises, people, _submissions(session, number, exercises, judged)
        )


def _people(session: Any) -> dict[str, Person]:
    from nbgrader.api import Student

    rows = session.query(Student.id, Student.first_name, Student.last_name).order_by(Student.id)
    return {row[0]: Person(row[0], row[1] or "", row[2] or "") for row in rows}


def _exercises(session: Any, assignment: str) -> list[Exercise]:
    from nbgrader.api import GradeCell, Notebook, TaskCell

    found = []
    for kind in (GradeCell, TaskCell):
        rows = (
            session.query(Notebook.name, kind.name, kind.max_score, kind.cell_type)
            .join(Notebook, kind.notebook_id == Notebook.id)
            .filter(Notebook.assignment_id == assignment)
        )
        found += [Exercise(row[0], row[1], float(row[2] or 0), str(row[3])) for row in rows]
    return found


def _in_order(
    exercises: list[Exercise], judged: Mapping[tuple[str, str], Result]
) -> tuple[Exercise, ...]:
    """Order as the notebooks have them, which only the judge's results tell; else by name."""
    place: dict[tuple[str, str], int] = {}
    known: set[str] = set()
    for (_, notebook), result in judged.items():
        if notebook not in known and result.cells:
            known.add(notebook)
            place |= {(notebook, cell.grade_id): i for i, cell in enumerate(result.cells)}
    last = len(exercises)
    return tuple(
        sorted(
            exercises,
            key=lambda e: (e.notebook, place.get((e.notebook, e.grade_id), last), e.grade_id),
        )
    )


def _submissions(
    session: Any,
    assignment: str,
    exercises: tuple[Exercise, ...],
    judged: Mapping[tuple[str, str], Result],
) -> dict[str, Submission]:
    from nbgrader.api import Assignment, Notebook, SubmittedAssignment, SubmittedNotebook

    due = session.query(Assignment.duedate).filter(Assignment.id == assignment).scalar()
    handed_in = {
        row[0]: row
        for row in session.query(
            SubmittedAssignment.student_id,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.extension,
        )
        .filter(SubmittedAssignment.assignment_id == assignment)
        .order_by(SubmittedAssignment.student_id)
    }
    notebooks = (
        session.query(
            SubmittedNotebook.id,
            SubmittedAssignment.student_id,
            Notebook.name,
            SubmittedNotebook.late_submission_penalty,
        )
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .filter(SubmittedAssignment.assignment_id == assignment)
        .order_by(Notebook.name)
        .all()
    )
    marks = _marks(session, assignment, exercises)
    comments = _comments(session, assignment)
    by_student: dict[str, dict[str, NotebookMarks]] = {student: {} for student in handed_in}
    for number, student, name, penalty in notebooks:
        by_student[student][name] = NotebookMarks(
            student,
            name,
            number,
            float(penalty or 0),
            marks.get(number, {}),
            comments.get(number, {}),
            judged.get((student, name)),
        )
    found = {}
    for student, (_, timestamp, extension) in handed_in.items():
        limit = due + extension if due and extension else due
        late = (timestamp - limit).total_seconds() if timestamp and limit else 0.0
        found[student] = Submission(student, by_student[student], timestamp, max(0.0, late))
    return found


def _marks(
    session: Any, assignment: str, exercises: tuple[Exercise, ...]
) -> dict[str, dict[str, Mark]]:
    """Give the marks by notebook (nbgrader's id) and grade id, in the order of the exercises."""
    from nbgrader.api import BaseCell, Grade, Notebook, SubmittedAssignment, SubmittedNotebook

    rows = (
        session.query(
            Grade.notebook_id,
            Notebook.name,
            BaseCell.name,
            Grade.score,
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .filter(SubmittedAssignment.assignment_id == assignment)
    )
    order = {(e.notebook, e.grade_id): (i, e.max_score) for i, e in enumerate(exercises)}
    found: dict[str, list[tuple[int, Mark]]] = {}
    for number, notebook, name, score, auto, manual, extra, waiting in rows:
        if (notebook, name) in order:
            place, most = order[notebook, name]
            mark = Mark(name, float(score), most, auto, manual, extra, bool(waiting))
            found.setdefault(number, []).append((place, mark))
    return {
        number: {mark.grade_id: mark for _, mark in sorted(marks, key=lambda pair: pair[0])}
        for number, marks in found.items()
    }


def _comments(session: Any, assignment: str) -> dict[str, dict[str, str]]:
    from nbgrader.api import BaseCell, Comment, SubmittedAssignment, SubmittedNotebook

    rows = (
        session.query(Comment.notebook_id, BaseCell.name, Comment.comment)
        .join(BaseCell, Comment.cell_id == BaseCell.id)
        .join(SubmittedNotebook, Comment.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .filter(SubmittedAssignment.assignment_id == assignment)
    )
    found: dict[str, dict[str, str]] = {}
    for number, name, text in rows:
        if text:
            found.setdefault(number, {})[name] = text
    return found
