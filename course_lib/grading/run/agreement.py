"""Which entries of the judge's ledger nbgrader's gradebook still agrees with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from course_lib.grading.run.gradebook_cells import NotebookCells
from course_lib.grading.run.ledger import Entry, grades_digest

if TYPE_CHECKING:
    from sqlalchemy import Connection


def agreed(
    connection: Connection,
    assignment: str,
    notebooks: Mapping[str, NotebookCells],
    known: Mapping[tuple[str, str], Entry],
) -> dict[tuple[str, str], Entry]:
    """Return the entries whose automatic grades are there and as they were written.

    assignment: its id; known: the ledger's entries by student and notebook.
    """
    from nbgrader import api
    from sqlalchemy import select

    rows = (
        select(
            api.SubmittedAssignment.student_id,
            api.Notebook.name,
            api.BaseCell.name,
            api.Grade.__table__.c.auto_score,
        )
        .join(
            api.SubmittedNotebook,
            api.SubmittedNotebook.assignment_id == api.SubmittedAssignment.id,
        )
        .join(api.Notebook, api.Notebook.id == api.SubmittedNotebook.notebook_id)
        .join(api.Grade, api.Grade.notebook_id == api.SubmittedNotebook.id)
        .join(api.BaseCell.__table__, api.BaseCell.__table__.c.id == api.Grade.cell_id)
        .where(api.SubmittedAssignment.assignment_id == assignment)
        .order_by(api.SubmittedAssignment.student_id, api.Notebook.name)
    )
    kept: dict[tuple[str, str], Entry] = {}
    scores: list[tuple[str, float | None]] = []
    key: tuple[str, str] | None = None

    def settle() -> None:
        entry = known.get(key) if key else None
        if key and entry and entry.grades == grades_digest(scores):
            kept[key] = entry

    for student, notebook, cell, score in connection.execute(rows):
        if (student, notebook) != key:
            settle()
            key, scores = (student, notebook), []
        if cell not in notebooks[notebook].tasks:
            scores.append((cell, score))
    settle()
    # A notebook without graded cells has no row above.
    empty = {name for name, cells in notebooks.items() if not cells.graded}
    return kept | {key: entry for key, entry in known.items() if key[1] in empty}
