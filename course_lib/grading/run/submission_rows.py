"""The gradebook's rows of one student's submission: found, or made if they are not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from course_lib.grading.run.gradebook_cells import NotebookCells

if TYPE_CHECKING:
    from sqlalchemy import Connection


class UnknownStudent(Exception):
    """The gradebook does not know the student and may not add one."""


@dataclass(frozen=True)
class Submission:
    """A student's submission: the row's id, and what decides how late it is."""

    id: str
    student: str
    timestamp: datetime | None
    extension: timedelta | None


class SubmissionRows:
    """Finds and makes the rows of one assignment, which the gradebook knows by `assignment_id`."""

    def __init__(
        self, assignment_id: str, notebooks: Mapping[str, NotebookCells], create_student: bool
    ) -> None:
        from nbgrader import api

        self._api = api
        self._id = assignment_id
        self._notebooks = notebooks
        self._create_student = create_student

    def submission(
        self, connection: Connection, student: str, timestamp: datetime | None
    ) -> Submission:
        """Return the student's submission, made if need be, with its timestamp set."""
        from sqlalchemy import select

        table, students = self._api.SubmittedAssignment.__table__, self._api.Student.__table__
        row = connection.execute(
            select(table.c.id, table.c.timestamp, table.c.extension).where(
                table.c.assignment_id == self._id, table.c.student_id == student
            )
        ).first()
        if row is not None:
            if timestamp is not None and row.timestamp != timestamp:
                change = table.update().where(table.c.id == row.id).values(timestamp=timestamp)
                connection.execute(change)
            when = timestamp if timestamp is not None else row.timestamp
            return Submission(row.id, student, when, row.extension)
        known = connection.execute(select(students.c.id).where(students.c.id == student)).first()
        if known is None:
            if not self._create_student:
                raise UnknownStudent(
                    f"the gradebook has no student {student!r}, and c.Autograde.create_student "
                    "is off: add them with `nbgrader db student add`"
                )
            connection.execute(students.insert().values(id=student))
        number = uuid4().hex
        connection.execute(
            table.insert().values(
                id=number, assignment_id=self._id, student_id=student, timestamp=timestamp
            )
        )
        made = Submission(number, student, timestamp, None)
        for cells in self._notebooks.values():
            self.notebook(connection, made, cells)
        return made

    def notebook(self, connection: Connection, submission: Submission, cells: NotebookCells) -> str:
        """Return the id of the student's notebook; it, its grades and comments are made if gone."""
        from sqlalchemy import select

        api = self._api
        table = api.SubmittedNotebook.__table__
        number = connection.execute(
            select(table.c.id).where(
                table.c.assignment_id == submission.id, table.c.notebook_id == cells.id
            )
        ).scalar()
        if number is None:
            number = uuid4().hex
            connection.execute(
                table.insert().values(
                    id=number, assignment_id=submission.id, notebook_id=cells.id, flagged=False
                )
            )
        pairs = ((api.Grade.__table__, cells.graded), (api.Comment.__table__, cells.commented))
        for rows, wanted in pairs:
            there = connection.execute(
                select(rows.c.cell_id).where(rows.c.notebook_id == number)
            ).scalars()
            gone = set(wanted.values()) - set(there)
            if gone:
                more = {"needs_manual_grade": True} if rows is api.Grade.__table__ else {}
                connection.execute(
                    rows.insert(),
                    [
                        {"id": uuid4().hex, "cell_id": cell, "notebook_id": number} | more
                        for cell in sorted(gone)
                    ],
                )
        return str(number)
