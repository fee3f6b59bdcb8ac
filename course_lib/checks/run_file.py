"""Check the function in one file and write the report as JSON; started by `__main__`.

Usage: python -m course_lib.checks.run_file EXERCISE FILE SEED REPORT.json
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: the arrays are tiny

from course_lib.checks import Report, check, max_score
from course_lib.checks.examine import describe
from course_lib.checks.observe import describe_error


def check_file(exercise: str, file: Path, seed: int) -> tuple[dict[str, Any], str]:
    """Return the report on a file as plain data and as text."""
    try:
        names = runpy.run_path(str(file), run_name="submission")
    except BaseException as error:  # whatever a file may raise, SystemExit too
        return _unusable(exercise, describe(describe_error(error), visible=True))
    function = names.get(exercise)
    if not callable(function):
        return _unusable(exercise, f"the file defines no function {exercise}")
    report: Report = check(exercise, function, seed=seed, visible=True)
    return report.to_dict(), str(report)


def _unusable(exercise: str, error: str) -> tuple[dict[str, Any], str]:
    worth = max_score(exercise)
    data = {"exercise": exercise, "passed": False, "score": 0.0, "max_score": worth, "parts": [],
            "diagnoses": [], "error": error}  # fmt: skip
    return data, f"{exercise}: 0 of {worth:g} points\n  error: {error}"


def main() -> None:
    """Read the command line, check, write."""
    exercise, file, seed, target = sys.argv[1:]
    data, text = check_file(exercise, Path(file), int(seed))
    Path(target).write_text(json.dumps({**data, "text": text}), encoding="utf-8")


if __name__ == "__main__":
    main()
