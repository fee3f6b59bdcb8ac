"""A class with every kind of student in it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from course_lib.grading.result import CellScore, Mistake, Remark
from tests.grading.marks.browser import visit  # noqa: F401
from tests.grading.marks.scratch_course import Got, ScratchCourse, cell, notebook

MASK = Mistake("no_mask", "The causal mask is missing", "Row 0 sees position 3.")
SCALE = Mistake("no_scale", "Scores are not divided by the root of d_k")
SOURCE = {
    "one": notebook(
        cell("answer", "f = 1", "f_answer"),
        cell("test", "assert f", "f", 4),
        cell("written", "why", "why", 6),
    ),
    "two": notebook(cell("answer", "g = 1", "g_answer"), cell("test", "assert g", "g", 10)),
}


def one(f: float, *mistakes: Mistake, status: str = "", limit: str = "", **more) -> Got:
    status = status or ("passed" if f == 4 else "partial" if f else "failed")
    return Got(
        [
            CellScore("f", "code", f, 4, status, "", mistakes, limit, False, 0.2, 0.4),
            CellScore("why", "markdown", None, 6, "manual"),
        ],
        **more,
    )


def two(g: float, **more) -> Got:
    status = "passed" if g == 10 else "partial" if g else "failed"
    return Got([CellScore("g", "code", g, 10, status)], **more)


NO_FILE = Got(
    [CellScore("g", "code", 0.0, 10, "missing")],
    (Remark("missing_file", "There is no two.ipynb.", True),),
)


@pytest.fixture
def scratch(tmp_path):
    made = ScratchCourse(tmp_path, "hw", SOURCE)
    yield made
    made.close()


@pytest.fixture
def classroom(scratch):
    """Seven students: two never handed in, one has handed in and is not graded."""
    scratch.enrol("ada", first="Ada", last="L<b>")
    scratch.enrol("zoe", "yan")
    odd = Remark("duplicated_cell", "The cell f_answer stood twice.", True)
    scratch.hand_in_all({
        "ada": {"one": one(4, cpu=0.3, manual={"why": 6}), "two": two(10)},
        "ben": {"one": one(1, MASK, SCALE), "two": two(5, cpu=3.0)},
        "cid": {"one": one(1, MASK, remarks=(odd,)), "two": NO_FILE},
        "dan": {"one": one(0, status="limit", limit="cpu time"), "two": two(0)},
        "eve": {"one": one(0, status="unanswered"), "two": two(5)},
    })  # fmt: skip
    scratch.hand_in_all(
        {"=fay": {"one": one(3, SCALE, penalty=1.5), "two": two(10)}}, late=timedelta(hours=26)
    )
    (scratch.root / "submitted/gus/hw").mkdir(parents=True)
    return scratch
