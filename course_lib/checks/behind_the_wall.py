"""Check a file's function behind the judge's wall, where the judge is installed and has a wall.

The file is judged as the answer to a notebook of one exercise, made here for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.checks import check, max_score

# A file's own `if __name__ == "__main__"` stays quiet; dataclasses looks its module up by name.
SETUP = """
__import__("sys").modules["submission"] = __import__("sys").modules["__main__"]
__name__ = "submission"
"""
TEST = """
from course_lib.checks.behind_the_wall import Checked
try:
    answer = {exercise}
except NameError:
    answer = None
Checked("{exercise}", answer, {seed})
"""
ANSWER = "answer"


@dataclass(frozen=True)
class Checked:
    """The check of a function; shows its report as JSON."""

    exercise: str
    function: Any
    seed: int

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the report, and its points as nbgrader reads them."""
        if not callable(self.function):
            return {"text/plain": "0"}
        report = check(self.exercise, self.function, seed=self.seed, visible=True)
        data = {**report.to_dict(), "text": str(report)}
        return {"text/plain": f"{report.score:g}", "application/json": data}


def wall_is_here() -> bool:
    """Say whether files can be checked behind the wall on this machine."""
    try:
        from course_lib.grading.wall import best_tier
    except ImportError:  # students have no judge
        return False
    return best_tier().ok


def check_behind_the_wall(exercise: str, file: Path, seed: int, limit: float) -> dict[str, Any]:
    """Return the report on a file as plain data, with its text; "error" says why there is none."""
    from course_lib.grading.grade import grade_job
    from course_lib.grading.job import Job
    from course_lib.grading.settings import Limits, Settings

    observer = Path(__file__).with_name("observe.py")
    limits = Limits(cpu_seconds=limit, wall_seconds=limit, judge_seconds=3 * limit + 60)
    settings = Settings(instruments=(str(observer),), limits=limits)
    source = file.read_text(encoding="utf-8", errors="replace")
    asked, handed_in = (
        json.dumps(_notebook(exercise, seed, text)).encode()
        for text in (f"{exercise} = None", source)
    )
    result = grade_job(Job(asked, handed_in, settings=settings))
    cells = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell
             for cell in result.notebook["cells"]}  # fmt: skip
    for output in cells[exercise]["outputs"]:
        report = output.get("data", {}).get("application/json")
        if report:
            return dict(report)
    return {"error": _why(cells[ANSWER]["outputs"], result.cells[0], exercise, limit)}


def _why(outputs: list[dict[str, Any]], score: Any, exercise: str, limit: float) -> str:
    if score.limit in ("cpu time", "wall time"):
        return f"stopped after {limit:g} seconds: is there an endless loop?"
    if score.limit == "crash":
        return f"the process ended early: {score.reason}"
    for output in outputs:
        if output["output_type"] == "error":
            *places, last = output["traceback"]
            lines = [place.partition(":  ") for place in places]
            where = "".join(f" in your line `{line}` ({at.rpartition(', ')[2]})"
                            for at, _, line in lines[-1:])  # fmt: skip
            return f"{output['ename']}{where}{str(last).removeprefix(output['ename'])}"
    if score.limit:
        return str(score.reason)
    return f"the file defines no function {exercise}"


def _notebook(exercise: str, seed: int, answer: str) -> dict[str, Any]:
    test = TEST.format(exercise=exercise, seed=seed)
    marks = {"grade": True, "locked": True, "points": max_score(exercise), "grade_id": exercise}
    cells = [
        _cell("setup", SETUP, {}),
        _cell(ANSWER, answer, {"nbgrader": {"solution": True, "grade_id": ANSWER}}),
        _cell("test", test, {"nbgrader": marks}),
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def _cell(name: str, source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "cell_type": "code", "metadata": metadata, "source": source,
            "outputs": [], "execution_count": None}  # fmt: skip
