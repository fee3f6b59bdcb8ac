"""A run ends with its slice, and no notebook runs longer than what is left of its limit."""

import json
import time
from dataclasses import replace

import pytest

from course_lib.grading.grade import grade_job
from course_lib.grading.job import JUDGE, SHOW, WHOLE, Job
from tests.grading.core.judged import (
    SHORT,
    answered,
    as_bytes,
    by_hand,
    checked,
    hidden,
    scores,
    solution,
)

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


def test_what_broke_off_keeps_the_students_words_for_a_person_to_grade():
    short = replace(SHORT, limits=replace(SHORT.limits, judge_seconds=2.0))
    cells = [by_hand("essay", "The instructor's words."), *CELLS]
    job = job_of("import time\ntime.sleep(2.5)")
    answers = {"essay": "Words of mine.", "a": "import time\ntime.sleep(2.5)"}
    handed_in = as_bytes(answered(cells, answers))
    result = grade_job(replace(job, source=as_bytes(cells), submission=handed_in, settings=short))
    assert scores(result) == {"essay": None, "t": 0, "seen": 0}
    written = json.dumps(result.notebook["cells"])
    assert "Words of mine." in written
    assert "instructor's words" not in written
    assert "def f" not in written
    assert result.wall_seconds >= 1.9


def test_cells_that_run_again_are_not_the_time_of_a_test():
    """Three cells of 0.9 s run again after a crash, where a test may take 2 + 5 s."""
    short = replace(SHORT, limits=replace(SHORT.limits, wall_seconds=1.0))
    slow = [solution(f"s{k}", "import time\ntime.sleep(0.9)") for k in range(9)]
    cells = [*slow, solution("a", RIGHT), *(checked(f"t{k}", f"assert f({k})") for k in range(3))]
    crash = "import os\ndef f(x):\n    return x + 1 if x else os._exit(0)"
    handed_in = as_bytes(answered(cells, {"a": crash}))
    result = grade_job(Job(as_bytes(cells), handed_in, settings=short))
    assert scores(result) == {"t0": 0, "t1": 1, "t2": 1}
