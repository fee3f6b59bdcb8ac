"""What the judge wrote beside the grades: the table `judge_ledger` of the gradebook's database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from course_lib.grading.result import CellScore, Mistake, Remark, Result

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
        found[student, notebook] = _result(data)
    return found


def _result(data: Mapping[str, Any]) -> Result:
    """Rebuild a result without its notebook, whichever version of the judge wrote it."""
    result = _known(Result, {**data, "notebook": {}})
    result["cells"] = tuple(read_cell_score(cell) for cell in data.get("cells", ()))
    result["remarks"] = tuple(Remark(**_known(Remark, r)) for r in data.get("remarks", ()))
    return Result(**result)


def read_cell_score(data: Mapping[str, Any]) -> CellScore:
    """Rebuild the points of a cell from plain data, whichever version of the judge wrote them."""
    mistakes = tuple(Mistake(**_known(Mistake, m)) for m in data.get("mistakes", ()))
    return CellScore(**{**_known(CellScore, data), "mistakes": mistakes})


def _known(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what this version has no field for."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in data.items() if name in names}
