"""A small assignment: the instructor's notebook, and one student's good submission to it."""

from __future__ import annotations

import copy
import json
from typing import Any

from course_lib.grading.template import Template, read_template

NAME = "homework"

# What the student wrote: all of it right, and none of it as the instructor wrote it.
ANSWERS = {
    "area_answer": (
        'def area(width, height):\n    """Return the area."""\n    return height * width'
    ),
    "roots_answer": "small_root = 2\nlarge_root = 3",
    "scaled_answer": "def scaled(x):\n    grown = x * SCALE\n    return grown",
    "why": "Because the **area** is a product – doubling both sides makes it four times as large.",
}

_CELLS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("markdown", "title", "# Homework\n\nThree exercises and a question.", {}),
    ("code", "setup", "import math\n\nSCALE = 3\nprint(math.pi)", {}),
    ("markdown", "area-task", "## Area\n\nWrite `area(width, height)`.\n\n*2 points*", {}),
    (
        "code",
        "area-answer",
        '''
def area(width, height):
    """Return the area."""
    ### BEGIN SOLUTION
    return width * height
    ### END SOLUTION
''',
        {"grade_id": "area_answer", "solution": True},
    ),
    (
        "code",
        "area-test",
        """
# Run this to see how you are doing.
assert area(2, 3) == 6
assert area(0, 3) == 0
### BEGIN HIDDEN TESTS
assert area(7, 11) == 77
### END HIDDEN TESTS
""",
        {"grade_id": "area", "grade": True, "locked": True, "points": 2},
    ),
    ("markdown", "roots-task", "## Roots\n\nSolve x² − 5x + 6 = 0.\n\n*2 points*", {}),
    (
        "code",
        "roots-answer",
        """
small_root = None
large_root = None
### BEGIN SOLUTION
small_root, large_root = 2, 3
### END SOLUTION
""",
        {"grade_id": "roots_answer", "solution": True},
    ),
    (
        "code",
        "roots-test",
        """
assert small_root is not None, 'give the smaller root'
### BEGIN HIDDEN TESTS
assert (small_root, large_root) == (2, 3)
### END HIDDEN TESTS
""",
        {"grade_id": "roots", "grade": True, "locked": True, "points": 2},
    ),
    ("markdown", "scaled-task", "## Scaled\n\nWrite `scaled(x)`: SCALE times x.\n\n*1 point*", {}),
    (
        "code",
        "scaled-answer",
        "### BEGIN SOLUTION\ndef scaled(x):\n    return SCALE * x\n### END SOLUTION",
        {"grade_id": "scaled_answer", "solution": True},
    ),
    (
        "code",
        "scaled-test",
        "assert scaled(1) == 3, 'one grows to three'\nassert scaled(-2) == -6",
        {"grade_id": "scaled", "grade": True, "locked": True, "points": 1},
    ),
    (
        "code",
        "given",
        "def given(x):\n    return area(x, x)",
        {"grade_id": "given", "locked": True},
    ),
    ("markdown", "why-task", "## Why?\n\nWhy does doubling both sides make four of it?", {}),
    (
        "markdown",
        "why-answer",
        "Area is bilinear.",
        {"grade_id": "why", "grade": True, "solution": True, "points": 3},
    ),
    ("markdown", "end", "That is all. Hand it in.", {}),
]


def instructor_notebook() -> dict[str, Any]:
    """Return the instructor's notebook, with solutions and hidden tests."""
    return {
        "cells": [_cell(*cell) for cell in _CELLS],
        "metadata": {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python", "version": "3.12.3"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(cell_type: str, cell_id: str, source: str, marks: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if marks:
        flags = {"grade": False, "solution": False, "locked": False, "task": False}
        metadata["nbgrader"] = {"schema_version": 3, **flags, **marks}
    cell: dict[str, Any] = {"cell_type": cell_type, "id": cell_id, "metadata": metadata}
    if cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": source.strip("\n").splitlines(keepends=True)}


def template() -> Template:
    """Return the instructor's notebook, taken apart."""
    return read_template(instructor_notebook())


def released_notebook() -> dict[str, Any]:
    """Return the notebook as students were given it."""
    notebook = instructor_notebook()
    for raw, cell in zip(notebook["cells"], template().cells, strict=True):
        raw["source"] = cell.public.splitlines(keepends=True)
    return notebook


def good_notebook() -> dict[str, Any]:
    """Return the notebook as the good student handed it in, run and saved by JupyterLab."""
    notebook = copy.deepcopy(released_notebook())
    for number, raw in enumerate(notebook["cells"]):
        marks = raw["metadata"].get("nbgrader", {})
        answer = ANSWERS.get(marks.get("grade_id"))
        if answer is not None:
            raw["source"] = answer.splitlines(keepends=True)
        if raw["cell_type"] == "code":
            raw["execution_count"] = number
    stream = {"name": "stdout", "output_type": "stream", "text": ["3.141592653589793\n"]}
    notebook["cells"][1]["outputs"] = [stream]
    return notebook


def good_bytes() -> bytes:
    """Return it as JupyterLab writes it."""
    return as_bytes(good_notebook())


def as_bytes(notebook: Any) -> bytes:
    """Return a notebook as JupyterLab writes it."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
