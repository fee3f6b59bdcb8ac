"""What the judge wrote beside the grades: the table `judge_ledger` of the gradebook's database."""

from __future__ import annotations

import json
from typing import Any

from course_lib.grading.result import Result

TABLE = "judge_ledger"


def read_results(database: Any, assignment: str) -> dict[tuple[str, str], Result]:
    """Read the judge's results of an assignment by (student, notebook).

    The notebooks themselves are not in it. Empty where another grader than the judge was used.
    """
    from sqlalchemy import inspect, text

    if not inspect(database.get_bind()).has_table(TABLE):
        return {}
    rows = database.execute(
        text(
            f"SELECT student, notebook, result FROM {TABLE} WHERE assignment = :assignment "
            "ORDER BY student, notebook"
        ),
        {"assignment": assignment},
    )
    found = {}
    for student, notebook, plain in rows:
        data = json.loads(plain) if isinstance(plain, str | bytes) else dict(plain)
        found[student, notebook] = Result.from_plain({**data, "notebook": {}})
    return found
