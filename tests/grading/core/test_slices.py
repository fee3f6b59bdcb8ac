"""A run ends with its slice, and no notebook runs longer than what is left of its limit."""

import time
from dataclasses import replace

import pytest

from course_lib.grading.grade import grade_job
from course_lib.grading.job import JUDGE, SHOW, WHOLE, Job
from tests.grading.core.judged import SHORT, answered, as_bytes, checked, hidden, scores, solution

RIGHT = "def f(x):\n    return x + 1"
HIDDEN = hidden("assert f(3) == 4")
CELLS = [solution("a", RIGHT), checked("t", HIDDEN), checked("seen", "assert f(1) == 2")]
SLOW = {
    "sleeps": "import time\ntime.sleep(20)",
    "computes": "while True: pass",
    "sleeps when called": "import time\ndef f(x):\n    time.sleep(20)",
    "in C": "pow(3, 10**9)",
    "prints": "while True: print('x' * 1000)",
}


def job_of(answer, **more):
    cells = as_bytes(CELLS)
    return replace(Job(cells, as_bytes(answered(CELLS, {"a": answer})), settings=SHORT), **more)


@pytest.fixture(autouse=True)
def _warm():
    grade_job(job_of(RIGHT))


@pytest.mark.parametrize("part", [SHOW, JUDGE])
@pytest.mark.parametrize("name", SLOW)
def test_a_slow_run_is_broken_off_at_the_end_of_its_slice(name, part):
    start = time.monotonic()
    result = grade_job(job_of(SLOW[name], part=part, slice=0.5))
    assert result.broken_off
    assert result.cells == ()
    assert result.shown == ""
    assert 0.5 <= time.monotonic() - start < 3


def test_what_ends_in_its_slice_is_not_broken_off():
    first = grade_job(job_of(RIGHT + "\nprint(f(2))", part=SHOW, slice=5))
    assert not first.broken_off
    second = grade_job(job_of(RIGHT, part=JUDGE, shown=first.shown, slice=5))
    assert scores(second) == {"t": 1, "seen": 1}


@pytest.mark.parametrize("part", [WHOLE, JUDGE])
def test_where_the_limit_is_spent_nothing_runs_and_it_is_told(part):
    start = time.monotonic()
    spent = SHORT.limits.judge_seconds
    result = grade_job(job_of(RIGHT, part=part, spent=spent, slice=0.5))
    assert scores(result) == {"t": 0, "seen": 0}
    (remark,) = [remark for remark in result.remarks if remark.needs_look]
    assert "s for a notebook" in remark.text
    assert "s for all of a student's" in remark.text
    assert time.monotonic() - start < 2


def test_what_was_not_shown_is_told():
    shown = '{"broken_off": true, "tests": {}}'
    result = grade_job(job_of(RIGHT + "\nprint('words of mine')", part=JUDGE, shown=shown))
    assert scores(result) == {"t": 1, "seen": 1}
    assert [remark.kind for remark in result.remarks] == ["not_shown"]
