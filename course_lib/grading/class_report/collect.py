"""Everything the class report says, gathered from the gradebook and the judge's ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from course_lib.grading.class_report.rows import (
    NOT_FOUND,
    CellRow,
    ClassReport,
    ExerciseRow,
    Key,
    MistakeRow,
    RemarkRow,
    SlowRow,
    StudentRow,
)
from course_lib.grading.class_report.statistics import (
    Points,
    corrected_item_total,
    mean,
    median,
    upper_lower,
)
from course_lib.grading.marks.course import Course
from course_lib.grading.marks.gradebook import read_marks
from course_lib.grading.marks.reasons import raised
from course_lib.grading.marks.records import AssignmentMarks, Exercise, NotebookMarks, Person
from course_lib.grading.result import FAILED, MISSING, PARTIAL, UNANSWERED, CellScore, Mistake

SLOWEST = 20  # rows
SLOW, OUTLYING, NOTICED = 2.0, 5, 0.5  # seconds; times the median, from so many seconds
NOTHING = "nothing_handed_in"  # that on a student's whole folder
EMPTY = "empty_file"  # which an older judge said of a missing one, too


def collect(course: Course, assignment: str) -> ClassReport:
    """Read an assignment and count.

    Raises:
        CourseError: there is no gradebook yet, or it does not know the assignment.
    """
    marks = read_marks(course, assignment)
    here = {notebook.id: _handed_in(course, assignment, notebook) for notebook in marks.notebooks()}
    cells = tuple(_cells(marks, here))
    students = tuple(_students(marks, here))
    there = {student.person.id for student in students}
    return ClassReport(
        assignment,
        marks,
        datetime.now(UTC).replace(tzinfo=None, microsecond=0),
        students,
        tuple(p for p in marks.students.values() if p.id not in there),
        tuple(_exercises(marks, cells, students)),
        tuple(_mistakes(marks, here)),
        cells,
        tuple(_remarks(course, marks, here)),
        tuple(_slowest(marks)),
        Counter(n.result.wall or "none" for n in marks.notebooks() if n.result and here[n.id]),
    )


def _handed_in(course: Course, assignment: str, notebook: NotebookMarks) -> bool:
    """Tell a notebook that is not there from one that got no points."""
    if notebook.result is not None:
        return not any(remark.kind == NOT_FOUND for remark in notebook.result.remarks)
    folder = course.folder(course.autograded, notebook.student, assignment)
    return (folder / f"{notebook.notebook}.ipynb").is_file()


def _judged(notebook: NotebookMarks) -> dict[str, CellScore]:
    return {cell.grade_id: cell for cell in notebook.result.cells} if notebook.result else {}


def _cells(marks: AssignmentMarks, here: Mapping[str, bool]) -> list[CellRow]:
    exercises = {(e.notebook, e.grade_id): e for e in marks.exercises}
    rows = []
    for notebook in marks.notebooks():
        if not here[notebook.id]:
            continue
        judged = _judged(notebook)
        for mark in notebook.marks.values():
            said = judged.get(mark.grade_id)
            rows.append(
                CellRow(
                    notebook.student,
                    exercises[notebook.notebook, mark.grade_id],
                    None if mark.waiting else mark.score,
                    said.status if said else "",
                    said.limit if said else "",
                    said.cpu_seconds if said else 0.0,
                    said.wall_seconds if said else 0.0,
                    mark.manual_score is not None,
                    bool(said and said.live),
                )
            )
    return rows


def _students(marks: AssignmentMarks, here: Mapping[str, bool]) -> list[StudentRow]:
    rows = []
    for student, submission in marks.submissions.items():
        points: dict[Key, float | None] = {}
        notebooks = [n for n in submission.notebooks.values() if here[n.id]]
        if not notebooks and not submission.score:
            continue  # an empty folder is as good as none
        for notebook in notebooks:
            for mark in notebook.marks.values():
                score = None if mark.waiting else mark.score
                points[notebook.notebook, mark.grade_id] = score
        rows.append(
            StudentRow(
                marks.students.get(student, Person(student)),
                submission.score,
                points,
                submission.late_penalty,
                submission.seconds_late,
                submission.timestamp,
                frozenset(n.notebook for n in notebooks),
                sum(mark.waiting for n in notebooks for mark in n.marks.values()),
            )
        )
    return rows


def _exercises(
    marks: AssignmentMarks, cells: tuple[CellRow, ...], students: tuple[StudentRow, ...]
) -> list[ExerciseRow]:
    by_exercise: dict[Exercise, list[CellRow]] = {exercise: [] for exercise in marks.exercises}
    for cell in cells:
        by_exercise[cell.exercise].append(cell)
    keys = [(exercise.notebook, exercise.grade_id) for exercise in marks.exercises]
    rows = []
    for index, (exercise, own) in enumerate(by_exercise.items()):
        # Who did not hand in the notebook tells nothing about the exercise.
        there = [s for s in students if exercise.notebook in s.notebooks]
        items: list[Points] = [[s.points.get(key) for s in there] for key in keys]
        graded = [cell.score for cell in own if cell.score is not None]
        raw_totals = [sum(p or 0.0 for p in s.points.values()) for s in there]
        rows.append(
            ExerciseRow(
                exercise,
                len(own),
                mean(graded),
                median(graded),
                sum(score >= exercise.max_score for score in graded),
                sum(score <= 0 for score in graded),
                sum(cell.status in (UNANSWERED, MISSING) for cell in own),
                sum(cell.score is None for cell in own),
                sum(bool(cell.limit) for cell in own),
                any(cell.live for cell in own),
                corrected_item_total(items, index),
                upper_lower(items[index], raw_totals, exercise.max_score),
            )
        )
    return rows


def _mistakes(marks: AssignmentMarks, here: Mapping[str, bool]) -> list[MistakeRow]:
    """Count mistakes by exercise (in order), the most common first."""
    exercises = {(e.notebook, e.grade_id): e for e in marks.exercises}
    who: dict[Key, dict[str, list[str]]] = {key: {} for key in exercises}
    titles: dict[tuple[Key, str], Counter[str]] = {}
    answered: Counter[Key] = Counter()
    for notebook in marks.notebooks():
        if not here[notebook.id]:
            continue
        for cell in _judged(notebook).values():
            key = (notebook.notebook, cell.grade_id)
            if key not in exercises:
                continue
            answered[key] += cell.status not in (UNANSWERED, MISSING)
            for found in dict.fromkeys(cell.mistakes or _raised(cell)):
                students = who[key].setdefault(found.id, [])
                if notebook.student not in students[-1:]:
                    students.append(notebook.student)
                titles.setdefault((key, found.id), Counter())[found.title or found.id] += 1
    rows = []
    for key, by_id in who.items():
        found_here = [
            MistakeRow(
                exercises[key],
                number,
                titles[key, number].most_common(1)[0][0],
                tuple(students),
                max(answered[key], len(students)),
            )
            for number, students in by_id.items()
        ]
        rows += sorted(found_here, key=lambda row: (-len(row.students), row.title))
    return rows


def _raised(cell: CellScore) -> tuple[Mistake, ...]:
    """Make a mistake of an exception, by its type, where no check named one."""
    kind = raised(cell) if cell.status in (FAILED, PARTIAL) else ""
    return (Mistake(f"raised:{kind}", f"{kind} in the answer"),) if kind else ()


def _remarks(course: Course, marks: AssignmentMarks, here: Mapping[str, bool]) -> list[RemarkRow]:
    rows = []
    for student, submission in marks.submissions.items():
        notebooks = submission.notebooks.values()
        gone = [n for n in notebooks if n.result and not here[n.id]]
        kinds = {r.kind for n in gone if n.result for r in n.result.remarks}
        if len(gone) > 1 and NOTHING not in kinds:
            rows.append(_gone(student, gone, len(notebooks)))
        for n in notebooks:
            told = {EMPTY, NOT_FOUND} if len(gone) > 1 else {EMPTY}
            rows += [
                RemarkRow(student, "", r.kind, r.text, r.needs_look, len(gone))
                if r.kind == NOTHING
                else RemarkRow(student, n.notebook, r.kind, r.text, r.needs_look)
                for r in dict.fromkeys(n.result.remarks if n.result else ())
                if here[n.id] or r.kind not in told
            ]
    for student in course.students(course.submitted, marks.assignment):
        if student not in marks.submissions:
            text = "Handed in, but not in the gradebook: run `autograde`."
            rows.append(RemarkRow(student, "", "not_graded", text, True))
    return sorted(rows, key=lambda row: (not row.needs_look, row.student, row.notebook))


def _gone(student: str, gone: Sequence[NotebookMarks], of: int) -> RemarkRow:
    """Tell of all notebooks that a student has not handed in on one line, with any hints."""
    if len(gone) == of:
        text = f"Handed in none of {of} notebooks."
    else:
        names = ", ".join(notebook.notebook for notebook in gone)
        text = f"Handed in {of - len(gone)} of {of} notebooks; missing: {names}."
    said = [r for n in gone if n.result for r in n.result.remarks if r.kind == NOT_FOUND]
    hints = dict.fromkeys(r.text.partition("; ")[2] for r in said)  # "there is a.docx, which …"
    text += "".join(f" {hint[:1].upper()}{hint[1:]}" for hint in hints if hint)
    look = any(remark.needs_look for remark in said)
    return RemarkRow(student, "", NOT_FOUND, text, look, len(gone))


def _slowest(marks: AssignmentMarks) -> list[SlowRow]:
    """Give what took long, by itself or beside the others."""
    rows = [
        SlowRow(n.student, n.notebook, n.result.cpu_seconds, n.result.wall_seconds)
        for n in marks.notebooks()
        if n.result
    ]
    usual = median([row.cpu_seconds for row in rows]) or 0.0
    least = min(SLOW, max(NOTICED, OUTLYING * usual))
    slow = [row for row in rows if row.cpu_seconds > least]
    return sorted(slow, key=lambda row: (-row.cpu_seconds, row.student, row.notebook))[:SLOWEST]
