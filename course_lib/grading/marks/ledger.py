"""What the judge wrote beside the grades, where it was the judge that graded."""

from __future__ import annotations

from typing import Any

from course_lib.grading.result import Result
from course_lib.grading.run.ledger import LEDGER, read_results, tables


def judged_results(database: Any, assignment: str) -> dict[tuple[str, str], Result]:
    """Return the judge's results of an assignment by (student, notebook), without the notebooks.

    Empty where another grader than the judge was used.
    """
    from sqlalchemy import inspect

    if not inspect(database.get_bind()).has_table(LEDGER):
        return {}
    rows = read_results(database.connection(), tables()[0], assignment)
    return {(student, notebook): result for student, notebook, result in rows}
