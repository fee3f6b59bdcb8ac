"""What nbgrader's configured plug-in takes off a late notebook."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from course_lib.grading.run.course import Course
from course_lib.grading.run.submission_rows import Submission

if TYPE_CHECKING:
    from sqlalchemy import Connection


class LatePenalty:
    """Writes the penalties of an assignment that is due at `due`, or never (None)."""

    def __init__(self, course: Course, due: datetime | None) -> None:
        from nbgrader import api
        from nbgrader.preprocessors import AssignLatePenalties

        self._api = api
        self._due = due
        penalties = AssignLatePenalties(parent=course.app)
        self._plugin = penalties.plugin_class(parent=penalties)

    def write(self, connection: Connection, submission: Submission, row: str) -> None:
        """Write the penalty of the notebook with this row, from the grades that it has by now."""
        from sqlalchemy import select

        seconds = self._seconds_late(submission)
        penalty = None
        if seconds > 0:
            table = self._api.Grade.__table__
            rows = connection.execute(
                select(table.c.manual_score, table.c.auto_score, table.c.extra_credit).where(
                    table.c.notebook_id == row
                )
            )
            score = sum(_counted(*grade) for grade in rows)
            penalty = self._plugin.late_submission_penalty(submission.student, score, seconds)
            if penalty is not None:
                penalty = min(max(0.0, penalty), score)
        table = self._api.SubmittedNotebook.__table__
        connection.execute(
            table.update().where(table.c.id == row).values(late_submission_penalty=penalty)
        )

    def _seconds_late(self, submission: Submission) -> float:
        if self._due is None or submission.timestamp is None:
            return 0.0
        due = self._due + submission.extension if submission.extension else self._due
        return max(0.0, float((submission.timestamp - due).total_seconds()))


def _counted(manual: float | None, automatic: float | None, extra: float | None) -> float:
    """Return the points that count, by nbgrader's rule."""
    score = automatic if manual is None else manual
    return 0.0 if score is None else float(score) + float(extra or 0.0)
