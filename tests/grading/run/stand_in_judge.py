"""A judge that runs nothing: it reads `answer = N`, and 42 is right. Same interface, no processes.

Workers of other processes import it by this name.
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

from course_lib.grading.job import SHOW, Job
from course_lib.grading.result import (
    FAILED,
    MANUAL,
    MISSING,
    PARTIAL,
    PASSED,
    UNANSWERED,
    CellScore,
    Remark,
    Result,
)
from course_lib.grading.template import read_template

# Tests set these for the processes that they start.
DELAY = "STAND_IN_DELAY"  # seconds a notebook takes
DIARY = "STAND_IN_DIARY"  # a folder; each graded notebook adds a file


def judge(job: Job) -> Result:
    """Grade one notebook; its first run takes no time and shows nothing."""
    if job.part == SHOW:
        return Result({}, (), shown="{}")
    time.sleep(float(os.environ.get(DELAY, "0")))
    if DIARY in os.environ:
        Path(os.environ[DIARY], f"{time.time_ns()}-{os.getpid()}").touch()
    template = read_template(json.loads(job.source), job.delimiters)
    notebook = json.loads(json.dumps(template.notebook))
    remarks = list(job.remarks)
    texts: dict[str, str] = {}
    if job.submission is not None:
        try:
            texts = _texts(json.loads(job.submission))
        except ValueError:
            remarks.append(Remark("not_json", "The file is no notebook.", needs_look=True))
    _obey(str(texts))
    scores, answer = [], None
    for cell in template.cells:
        if cell.answered:
            text = texts.get(cell.grade_id, cell.public)
            notebook["cells"][cell.index]["source"] = text
            answer = _number(text) if cell.kind == "solution" else answer
        if cell.graded:
            scores.append(_score(cell, answer, texts))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    notebook["metadata"]["judge"] = {"seed": job.seed}
    return Result(notebook, tuple(scores), tuple(remarks), "stand-in", 0.01, 0.01)


def _texts(notebook: dict[str, Any]) -> dict[str, str]:
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }


def _obey(texts: str) -> None:
    if "SLEEP" in texts:
        time.sleep(120)  # longer than a test waits
    if "RAISE" in texts:
        raise ValueError("the stand-in was asked to fail")


def _number(text: str) -> int | None:
    found = re.search(r"answer = (\d+)", text)
    return int(found[1]) if found else None


def _score(cell: Any, answer: int | None, texts: dict[str, str]) -> CellScore:
    most = cell.points
    if cell.kind == "manual":
        same = texts.get(cell.grade_id, cell.public) == cell.public
        score, status = (0.0, UNANSWERED) if same else (None, MANUAL)
    elif cell.kind == "task":
        score, status = None, MANUAL
    elif not texts:
        score, status = 0.0, MISSING
    elif answer == 42:
        score, status = most, PASSED
    elif answer == 21:
        score, status = most / 2, PARTIAL
    else:
        score, status = 0.0, FAILED
    return CellScore(cell.grade_id, cell.cell_type, score, most, status)
