"""The grades of one assignment, read from nbgrader's gradebook in a handful of queries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from course_lib.grading.marks.course import Course
from course_lib.grading.marks.ledger import judged_results
from course_lib.grading.marks.records import (
    AssignmentMarks,
    Exercise,
    Mark,
    NotebookMarks,
    Person,
    Submission,
)
from course_lib.grading.result import Result
from course_lib.grading.run.course import CourseError


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
            raise CourseError(f"no gradebook at {file}: run `autograde` first")
    from nbgrader.api import Assignment, Gradebook, MissingEntry

    with Gradebook(course.db_url, course_id=course.course_id) as gradebook:
        try:
            number = gradebook.find_assignment(assignment).id
        except MissingEntry:
            raise CourseError(
                f"the gradebook has no assignment {assignment!r}: check its name, or run "
                "`autograde` first"
            ) from None
        database = gradebook.db
        people = _people(database)
        judged = judged_results(database, assignment) if results else {}
        exercises = _in_order(_exercises(database, number), judged)
        due = database.query(Assignment.duedate).filter(Assignment.id == number).scalar()
        found = _submissions(database, number, due, exercises, people, judged)
        return AssignmentMarks(assignment, exercises, people, found, due)


def _people(database: Any) -> dict[str, Person]:
    from nbgrader.api import Student

    rows = database.query(Student.id, Student.first_name, Student.last_name).order_by(Student.id)
    return {row[0]: Person(row[0], row[1] or "", row[2] or "") for row in rows}


def _exercises(database: Any, assignment: str) -> list[Exercise]:
    from nbgrader.api import GradeCell, Notebook, TaskCell

    found = []
    for kind in (GradeCell, TaskCell):
        rows = (
            database.query(Notebook.name, kind.name, kind.max_score, kind.cell_type)
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
    database: Any,
    assignment: str,
    due: datetime | None,
    exercises: tuple[Exercise, ...],
    people: Mapping[str, Person],
    judged: Mapping[tuple[str, str], Result],
) -> dict[str, Submission]:
    from nbgrader.api import Notebook, SubmittedAssignment, SubmittedNotebook

    handed_in = {
        row[0]: row
        for row in database.query(
            SubmittedAssignment.student_id,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.extension,
        )
        .filter(SubmittedAssignment.assignment_id == assignment)
        .order_by(SubmittedAssignment.student_id)
    }
    notebooks = (
        database.query(
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
    marks = _marks(database, assignment, exercises)
    comments = _comments(database, assignment)
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
            people[student].name if student in people else "",
        )
    found = {}
    for student, (_, timestamp, extension) in handed_in.items():
        limit = due + extension if due and extension else due
        late = (timestamp - limit).total_seconds() if timestamp and limit else 0.0
        found[student] = Submission(student, by_student[student], timestamp, max(0.0, late))
    return found


def _marks(
    database: Any, assignment: str, exercises: tuple[Exercise, ...]
) -> dict[str, dict[str, Mark]]:
    """Give the marks by notebook (nbgrader's id) and grade id, in the order of the exercises."""
    from nbgrader.api import BaseCell, Grade, Notebook, SubmittedAssignment, SubmittedNotebook

    rows = (
        database.query(
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


def _comments(database: Any, assignment: str) -> dict[str, dict[str, str]]:
    from nbgrader.api import BaseCell, Comment, SubmittedAssignment, SubmittedNotebook

    rows = (
        database.query(Comment.notebook_id, BaseCell.name, Comment.comment)
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
