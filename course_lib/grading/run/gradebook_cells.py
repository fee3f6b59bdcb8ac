"""What an assignment consists of, as nbgrader's gradebook has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from course_lib.grading.run.course import CourseError

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True)
class NotebookCells:
    """The cells of one notebook in the gradebook.

    graded, commented: name → id of the cells that have a grade, a comment; tasks: the names that
    nbgrader's autograder leaves alone; handed_out: name → text that students were given.
    """

    id: str
    graded: Mapping[str, str]
    commented: Mapping[str, str]
    tasks: frozenset[str]
    handed_out: Mapping[str, str]


@dataclass(frozen=True)
class AssignmentRows:
    """An assignment: its id, when it is due (UTC, naive), and its notebooks by name."""

    id: str
    due: datetime | None
    notebooks: Mapping[str, NotebookCells]


def read_assignment(connection: Connection, name: str) -> AssignmentRows:
    """Read an assignment.

    Raises:
        CourseError: the gradebook does not have it.
    """
    from nbgrader import api
    from sqlalchemy import select

    assignments, notebooks = api.Assignment.__table__, api.Notebook.__table__
    found = connection.execute(
        select(assignments.c.id, assignments.c.duedate).where(assignments.c.name == name)
    ).first()
    if found is None:
        raise CourseError(f"the gradebook has no assignment {name!r}")
    rows = connection.execute(
        select(notebooks.c.id, notebooks.c.name).where(notebooks.c.assignment_id == found.id)
    ).all()
    cells = {notebook: _read_cells(connection, number) for number, notebook in rows}
    return AssignmentRows(found.id, found.duedate, cells)


def _read_cells(connection: Connection, number: str) -> NotebookCells:
    from nbgrader import api
    from sqlalchemy import select

    base, sources = api.BaseCell.__table__, api.SourceCell.__table__
    cells = connection.execute(
        select(base.c.name, base.c.id, base.c.type).where(base.c.notebook_id == number)
    ).all()
    texts = connection.execute(
        select(sources.c.name, sources.c.source).where(sources.c.notebook_id == number)
    ).all()
    return NotebookCells(
        number,
        {cell: id_ for cell, id_, kind in cells if kind in ("GradeCell", "TaskCell")},
        {cell: id_ for cell, id_, kind in cells if kind in ("SolutionCell", "TaskCell")},
        frozenset(cell for cell, _, kind in cells if kind == "TaskCell"),
        {cell: source or "" for cell, source in texts},
    )
