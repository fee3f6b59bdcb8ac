"""The one writer: puts a graded notebook into nbgrader's gradebook, all of it or nothing.

What it writes is what nbgrader's own SaveAutoGrades and AssignLatePenalties write. Those open the
gradebook once a step and look every cell up by name; this opens it once a run and writes each
notebook in one transaction, with the ledger's row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from course_lib.grading.result import Result
from course_lib.grading.run.agreement import agreed
from course_lib.grading.run.course import Course
from course_lib.grading.run.database import open_engine
from course_lib.grading.run.gradebook_cells import NotebookCells, read_assignment
from course_lib.grading.run.late_penalty import LatePenalty
from course_lib.grading.run.ledger import (
    LEDGER,
    Entry,
    SourceState,
    create_tables,
    grades_digest,
    read_entries,
    read_results,
    replace_row,
    result_json,
    tables,
)
from course_lib.grading.run.submission_rows import SubmissionRows

if TYPE_CHECKING:
    from sqlalchemy import Connection

NO_RESPONSE = "No response."  # nbgrader's own words


class GradebookWriter:
    """Writes one assignment's grades; to be used in a `with` statement, by one thread.

    Raises:
        CourseError: the gradebook does not have the assignment.
    """

    def __init__(self, course: Course, assignment: str) -> None:
        from nbgrader import api

        self.assignment = assignment
        self._api = api
        self._log = course.log
        self._engine = open_engine(course.coursedir.db_url)
        self._ledger, self._sources = tables()
        if LEDGER in create_tables(self._engine):
            self._log.warning(
                "The gradebook's table of what is graded already (%s) is from another version of "
                "the judge: everything is graded again; points given by hand are kept.", LEDGER
            )  # fmt: skip
        with self._engine.begin() as connection:
            rows = read_assignment(connection, assignment)
        self._id, self._due, self._notebooks = rows.id, rows.due, rows.notebooks
        self._rows = SubmissionRows(rows.id, rows.notebooks, course.autograde.create_student)
        self._late = LatePenalty(course, rows.due)

    def __enter__(self) -> GradebookWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()

    @property
    def notebooks(self) -> tuple[str, ...]:
        """The names of the assignment's notebooks in the gradebook, sorted."""
        return tuple(sorted(self._notebooks))

    @property
    def has_due_date(self) -> bool:
        """Whether lateness can cost points."""
        return self._due is not None

    def timestamps(self) -> dict[str, datetime | None]:
        """Return when each student handed in, as far as the gradebook knows."""
        from sqlalchemy import select

        table = self._api.SubmittedAssignment.__table__
        with self._engine.begin() as connection:
            rows = connection.execute(
                select(table.c.student_id, table.c.timestamp).where(
                    table.c.assignment_id == self._id
                )
            )
            return {row[0]: row[1] for row in rows}

    def entries(self) -> dict[tuple[str, str], Entry]:
        """Return the ledger's entries that the gradebook still agrees with.

        Left out are those whose grades are gone or have been changed since.
        """
        with self._engine.begin() as connection:
            known = read_entries(connection, self._ledger, self.assignment)
            return agreed(connection, self._id, self._notebooks, known)

    def results(self) -> Iterator[tuple[str, str, Result]]:
        """Yield student, notebook and result of all that the ledger has, without notebooks."""
        with self._engine.begin() as connection:
            yield from read_results(connection, self._ledger, self.assignment)

    def record(
        self,
        student: str,
        notebook: str,
        result: Result,
        *,
        missing: bool = False,
        timestamp: datetime | None = None,
        fingerprint: str = "",
        written: str = "",
    ) -> None:
        """Write a notebook's grades, comments and late penalty, and its row of the ledger.

        missing: the notebook was not handed in; then every grade is 0, as nbgrader has it.

        Raises:
            UnknownStudent: the student is not in the gradebook and `Autograde.create_student` is
                off.
        """
        cells = self._notebooks[notebook]
        with self._engine.begin() as connection:
            submission = self._rows.submission(connection, student, timestamp)
            row = self._rows.notebook(connection, submission, cells)
            scores = self._write_grades(connection, row, cells, result, missing)
            if not missing:
                self._write_comments(connection, row, cells, result)
            self._late.write(connection, submission, row)
            self._write_flag(connection, row, student, notebook, result.needs_look)
            values = {
                "student": student,
                "assignment": self.assignment,
                "notebook": notebook,
                "fingerprint": fingerprint,
                "written": written,
                "grades": grades_digest(scores.items()),
                "needs_look": result.needs_look,
                "result": result_json(result),
            }
            replace_row(connection, self._ledger, values)

    def refresh(self, student: str, timestamp: datetime | None) -> None:
        """Bring a student's timestamp and late penalties up to date without grading anything."""
        from sqlalchemy import select

        notebooks = self._api.SubmittedNotebook.__table__
        with self._engine.begin() as connection:
            submission = self._rows.submission(connection, student, timestamp)
            rows = connection.execute(
                select(notebooks.c.id).where(notebooks.c.assignment_id == submission.id)
            ).all()
            for (row,) in rows:
                self._late.write(connection, submission, row)

    def source_state(self) -> SourceState:
        """Return what the sources were when they were released, and tried, last."""
        from sqlalchemy import select

        table = self._sources
        with self._engine.begin() as connection:
            row = connection.execute(
                select(table.c.released, table.c.tried, table.c.modes).where(
                    table.c.assignment == self.assignment
                )
            ).first()
        return SourceState.from_row(*row) if row else SourceState()

    def keep_source_state(self, state: SourceState) -> None:
        """Write down which sources were released, and tried."""
        with self._engine.begin() as connection:
            replace_row(connection, self._sources, state.to_row(self.assignment))

    def _write_grades(
        self, connection: Connection, row: str, cells: NotebookCells, result: Result, missing: bool
    ) -> dict[str, float | None]:
        """Write the automatic scores; return them by cell. A grader's own points are kept."""
        from sqlalchemy import bindparam, select

        table = self._api.Grade.__table__
        kept = connection.execute(
            select(table.c.cell_id, table.c.manual_score).where(table.c.notebook_id == row)
        )
        manual: dict[str, float | None] = {row[0]: row[1] for row in kept}
        judged = {cell.grade_id: _finite(cell.score) for cell in result.cells}
        scores = {name: judged.get(name) for name in cells.graded if name not in cells.tasks}
        if missing:
            scores = dict.fromkeys(cells.graded, 0.0)
        changes = [
            {
                "the_cell": cells.graded[name],
                "the_score": score,
                "by_hand": not missing
                and (score is None or manual[cells.graded[name]] is not None),
            }
            for name, score in scores.items()
        ]
        if changes:
            connection.execute(
                table.update()
                .where(table.c.notebook_id == row, table.c.cell_id == bindparam("the_cell"))
                .values(auto_score=bindparam("the_score"), needs_manual_grade=bindparam("by_hand")),
                changes,
            )
        return {name: score for name, score in scores.items() if name not in cells.tasks}

    def _write_comments(
        self, connection: Connection, row: str, cells: NotebookCells, result: Result
    ) -> None:
        from sqlalchemy import bindparam

        table = self._api.Comment.__table__
        answers = _answers(result.notebook)
        changes = [
            {"the_cell": number, "text": self._comment(cells, name, answers.get(name))}
            for name, number in cells.commented.items()
        ]
        if changes:
            connection.execute(
                table.update()
                .where(table.c.notebook_id == row, table.c.cell_id == bindparam("the_cell"))
                .values(auto_comment=bindparam("text")),
                changes,
            )

    @staticmethod
    def _comment(cells: NotebookCells, name: str, answer: str | None) -> str | None:
        unchanged = name not in cells.tasks and answer == cells.handed_out.get(name)
        return NO_RESPONSE if unchanged and answer is not None else None

    def _write_flag(
        self, connection: Connection, row: str, student: str, notebook: str, needs_look: bool
    ) -> None:
        """Raise the formgrader's flag where a person must look; lower it only if we raised it."""
        from sqlalchemy import select

        ledger, table = self._ledger.c, self._api.SubmittedNotebook.__table__
        raised = connection.execute(
            select(ledger.needs_look).where(
                ledger.student == student,
                ledger.assignment == self.assignment,
                ledger.notebook == notebook,
            )
        ).scalar()
        if needs_look or raised:
            connection.execute(table.update().where(table.c.id == row).values(flagged=needs_look))


def _answers(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the cells that nbgrader calls solution or task, by grade id."""
    found = {}
    for cell in notebook.get("cells", ()):
        marks = cell.get("metadata", {}).get("nbgrader") or {}
        if marks.get("solution") or marks.get("task"):
            source = cell["source"]
            text = "".join(source) if isinstance(source, list) else str(source)
            found[str(marks.get("grade_id"))] = text
    return found


def _finite(score: float | None) -> float | None:
    return None if score is None else float(score) if math.isfinite(score) else 0.0
