"""A student's graded notebook with something to hide in every place, and ways to look at a page."""

from __future__ import annotations

import base64
import copy
from dataclasses import asdict
from html.parser import HTMLParser
from typing import Any

import pytest

from course_lib.grading.marks import Mark, NotebookMarks
from course_lib.grading.result import CellScore, Mistake
from tests.grading.marks.browser import visit  # noqa: F401
from tests.grading.marks.scratch_course import ScratchCourse, cell, notebook, result_of

# What must never reach a student, by where it stands.
SECRETS = {
    "hidden test": "SECRET_TEST_LINE",
    "solution": "SECRET_SOLUTION",
    "mark scheme": "SECRET_MARK_SCHEME",
    "traceback": "SECRET_EXPECTED_VALUE",
    "hidden output": "SECRET_PRINTED",
    "seed": "20251234",
}
PNG = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
        "gg=="
    )
).decode()
TEST = (
    "assert f(1) == 1\n### BEGIN HIDDEN TESTS\nassert f(2) == SECRET_TEST_LINE\n"
    "### END HIDDEN TESTS\nassert f(0) == 0"
)
MASK = Mistake("no_mask", "The causal mask is missing", "Row 0 sees position 3.")
REPORT = "<div><b>f: 1 of 4 points</b><div><b>The causal mask is missing</b></div></div>"


def graded_notebook() -> dict[str, Any]:
    """As it lies in autograded/: for the instructor, with everything in it."""
    error = {
        "output_type": "error", "ename": "AssertionError", "evalue": SECRETS["traceback"],
        "traceback": [f"assert f(2) == {SECRETS['traceback']}"],
    }  # fmt: skip
    public = {"output_type": "stream", "name": "stdout", "text": "A hidden test failed."}
    printed = {"output_type": "stream", "name": "stdout", "text": SECRETS["hidden output"]}
    picture = {"output_type": "display_data", "data": {"image/png": PNG, "text/plain": "<Figure>"},
               "metadata": {}}  # fmt: skip
    report = result_of(REPORT, mistakes=(MASK,))
    report["metadata"]["course"] = {"seed": 20251234}
    scores = {
        "f": CellScore("f", "code", 1.0, 4, "partial", "The mask is missing.", (MASK,)),
        "g": CellScore("g", "code", 0.0, 2, "limit", "It was stopped after 10 s.", (), "cpu time"),
        "why": CellScore("why", "markdown", None, 3, "manual"),
        "draw": CellScore("draw", "markdown", None, 1, "manual"),
    }
    made = notebook(
        cell("text", "# The exercises\n\nRead $x^2$ first."),
        cell("code", "import numpy as np"),
        cell("text", "## 1 · Attention\n\n<details><summary>Hint</summary>\n\nthink\n\n</details>"),
        cell("answer", "def f(x):\n    return x  # mine\n### BEGIN SOLUTION\nSECRET_SOLUTION\n"
                       "### END SOLUTION", "f_answer", outputs=[picture]),
        cell("test", TEST, "f", 4, outputs=[printed, copy.deepcopy(error), report]),
        cell("text", "## 2 · A loop"),
        cell("answer", "def g(x):\n    while True: pass", "g_answer"),
        cell("test", TEST, "g", 2, outputs=[copy.deepcopy(error)]),
        cell("text", "## 3 · Words"),
        cell("written", "Because *d* is $d_k$.", "why", 3),
        cell("task", "Draw.\n### BEGIN MARK SCHEME\nSECRET_MARK_SCHEME\n### END MARK SCHEME",
             "draw", 1),
        cell("code", "print('my own cell')",
             outputs=[{"output_type": "stream", "name": "stdout", "text": "hello \x1b[31mred"}]),
        judge={"remarks": [{"kind": "moved", "text": "A cell was moved.", "needs_look": True}],
               "wall": "landlock", "seed": 20251234},
    )  # fmt: skip
    for one in made["cells"]:
        name = one["metadata"].get("nbgrader", {}).get("grade_id")
        if name in scores:
            one["metadata"]["judge"] = {"score": asdict(scores[name])}
    made["cells"][4]["metadata"]["judge"]["public"] = [None, public, report]
    made["cells"][-1]["metadata"]["judge"] = {"own": True}
    return made


def marks_of(**changes: Any) -> NotebookMarks:
    marks = {
        "f": Mark("f", 1, 4, 1.0),
        "g": Mark("g", 0, 2, 0.0),
        "why": Mark("why", 0, 3, None, waiting=True),
        "draw": Mark("draw", 1, 1, None, 1.0),
    }
    return NotebookMarks(
        **({"student": "ada", "notebook": "nb", "id": "x", "marks": marks} | changes)
    )


@pytest.fixture
def graded() -> dict[str, Any]:
    return graded_notebook()


@pytest.fixture
def scratch(tmp_path):
    made = ScratchCourse(tmp_path, "hw", {"nb": graded_notebook()})
    yield made
    made.close()


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag

    def handle_data(self, data):
        if self.inside != "style":
            self.words.append(data)


def elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Page()
    parser.feed(page)
    return parser.elements


def text_of(page: str) -> str:
    """What is read on a page, white space evened out."""
    parser = _Page()
    parser.feed(page)
    return " ".join("".join(parser.words).split())
