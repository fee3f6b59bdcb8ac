"""A small course to attack: four exercises, secrets that are marked, and who sees what of a result.

double   a function, visible tests (2 points)
shift    a function, hidden tests with secret keys (3 points)
golden   a number, visible and hidden tests (1 point)
label    a function, visible tests after the hidden ones, whose messages quote the result (2)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.grading.result import Result
from course_lib.grading.settings import MEBIBYTE, Limits, Settings

SETTINGS = Settings(
    limits=Limits(cpu_seconds=0.6, wall_seconds=1.5, memory=512 * MEBIBYTE, judge_seconds=30.0)
)
FULL = 8.0
HIDDEN_KEY = 904_177  # a hidden input; the tests below hold it
HIDDEN_WORD = "canary-input-8d1"  # another
CANARIES = {
    "hidden test": "canary-test-53f",
    "solution": "canary-solution-77c",
    "environment": "canary-environment-e20",
    "home": "canary-home-b91",
    "course": "canary-course-4a6",
    "gradebook": "canary-gradebook-c3d",
    "classmate": "canary-classmate-f02",
}
VARIABLE = "GRADER_SECRET"  # in the grader's environment

HONEST = {
    "double": "def double(x):\n    return 2 * x",
    "shift": "def shift(values, key):\n    return [value + key for value in values]",
    "golden": "golden = (1 + 5**0.5) / 2",
    "label": "def label(n):\n    return 'even' if n % 2 == 0 else 'odd'",
}
WRONG = {
    "double": "def double(x):\n    return 0",
    "shift": "def shift(values, key):\n    return values",
    "golden": "golden = 1",
    "label": "def label(n):\n    return 'even?'",
}
TESTS = {
    "double": """
assert_allclose(double(2.5), 5.0)
assert double(2) == 4, f"double(2) gave {double(2)!r}"
assert np.allclose(double(np.arange(3.0)), [0.0, 2.0, 4.0])
np.testing.assert_array_equal(double(np.ones((2, 2))), np.full((2, 2), 2.0))
""",
    "shift": f"""
assert shift([1, 2], 3) == [4, 5]
### BEGIN HIDDEN TESTS
assert shift([7001, 7002], {HIDDEN_KEY}) == [911_178, 911_179], "{CANARIES["hidden test"]}"
assert shift([], "{HIDDEN_WORD}") == []
assert shift([10], 1) == [11]
### END HIDDEN TESTS
""",
    "golden": f"""
assert golden > 1
### BEGIN HIDDEN TESTS
assert abs(golden - 1.618033988749895) < 1e-12, "{CANARIES["hidden test"]}"
### END HIDDEN TESTS
""",
    "label": """
assert label(2) == "even", f"label(2) gave {label(2)!r}"
assert_equal(label(3), "odd")
print("label(4) is", label(4))
label(5)
""",
}
POINTS = {"double": 2, "shift": 3, "golden": 1, "label": 2}
SETUP = "import math\nimport numpy as np\nfrom numpy.testing import *"
Notebook = dict[str, Any]


def cell(
    kind: str, source: str, grade_id: str = "", points: float = 0, **metadata: Any
) -> dict[str, Any]:
    """Make a cell: setup, text, solution or test."""
    code = kind != "text"
    made: dict[str, Any] = {
        "cell_type": "code" if code else "markdown",
        "id": (grade_id or kind).replace("_", "-"),
        "metadata": dict(metadata),
        "source": source,
    }
    if code:
        made |= {"execution_count": None, "outputs": []}
    if grade_id:
        made["metadata"]["nbgrader"] = {
            "grade": kind == "test", "grade_id": grade_id, "locked": kind == "test",
            "schema_version": 3, "solution": kind == "solution", "task": False,
        } | ({"points": points} if kind == "test" else {})  # fmt: skip
    return made


def notebook(cells: list[dict[str, Any]]) -> Notebook:
    """Make a notebook of cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, each in enumerate(cells):
        each.setdefault("id", f"c{number}")
    return {
        "cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip


def source_notebook() -> Notebook:
    """Make the instructor's notebook."""
    cells = [cell("setup", SETUP)]
    for name, answer in HONEST.items():
        solution = f"### BEGIN SOLUTION\n# {CANARIES['solution']}\n{answer}\n### END SOLUTION"
        cells.append(cell("solution", solution, f"{name}_answer"))
        cells.append(cell("test", TESTS[name].strip(), name, POINTS[name]))
    return notebook(cells)


@dataclass
class Handed:
    """A submission in the making.

    answers: by exercise; before, after: extra code cells at the start, and behind an exercise's
    test; change: what is done to the notebook in the end.
    """

    answers: dict[str, str] = field(default_factory=lambda: dict(HONEST))
    before: list[str] = field(default_factory=list)
    after: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def notebook(self) -> Notebook:
        """Return it as the student would hand it in."""
        cells = [cell("setup", SETUP)]
        cells += [cell("own", source) for source in self.before]
        for name in HONEST:
            cells.append(cell("solution", self.answers[name], f"{name}_answer"))
            cells.append(cell("test", visible(TESTS[name]), name, POINTS[name]))
            cells += [dict(each) for each in self.after.get(name, [])]
        for number, each in enumerate(cells):
            if not each["metadata"].get("nbgrader"):
                each["id"] = f"own-{number}"
        return notebook(cells)


def visible(test: str) -> str:
    """Return what of a test is handed out."""
    return test.partition("### BEGIN")[0].strip()


# ---------------------------------------------------------------- who sees what


def student_sees(result: Result) -> str:
    """Return all text of a result that feedback may show, pictures included."""
    return "\n".join(_texts(result, public=True))


def own_cells_show(result: Result) -> str:
    """Return all text of a result that comes from the student's side, hidden or not."""
    return "\n".join(_texts(result, public=False))


def _texts(result: Result, *, public: bool) -> Iterator[str]:
    for each in result.notebook["cells"]:
        outputs = each.get("outputs", [])
        told = each["metadata"].get("judge", {})
        tested = each["metadata"].get("nbgrader", {}).get("grade")
        if public and "public" in told:
            outputs = [output for output in told["public"] if output is not None]
        elif not public and tested:
            outputs = [o for o in outputs if o["output_type"] != "error"]  # the judge's own words
        yield from (json.dumps(_plain(output), ensure_ascii=False) for output in outputs)
    for score in result.cells:
        yield score.reason
        yield from (f"{m.id} {m.title} {m.message}" for m in score.mistakes)
    yield from (remark.text for remark in result.remarks)


def _plain(output: Mapping[str, Any]) -> Any:
    return {k: "".join(v) if k == "traceback" else v for k, v in output.items()}
