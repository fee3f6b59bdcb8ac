"""No hidden test of a batch runs before every notebook of it had its run without them."""

from __future__ import annotations

import tempfile

import pytest
from stand_in_judge import judge

from course_lib.grading.job import JUDGE, SHOW
from course_lib.grading.result import Result

RIGHT, WRONG = "answer = 42", "answer = 1"


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch):
    """Give a folder for temporary files."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_all_first_runs_come_before_any_second_one(make_course, run, temporary):
    course = make_course()
    names = [f"student{k}" for k in range(12)]
    for k, name in enumerate(names):
        course.submit(name, {"p1": RIGHT if k % 2 else WRONG, "p2": RIGHT})
    parts, shown = [], []

    def watched(job):
        parts.append(job.part)
        if job.part == SHOW:
            return Result({}, (), shown=f"of {job.seed}")
        if job.part == JUDGE:
            assert job.shown == f"of {job.seed}"
            shown.append(list(temporary.glob("judge-*/*.shown")))
        return judge(job)

    summary = run(course, grade=watched)
    firsts = [k for k, part in enumerate(parts) if part == SHOW]
    seconds = [k for k, part in enumerate(parts) if part == JUDGE]
    assert len(firsts) == len(seconds) == 24
    assert max(firsts) < min(seconds)
    assert summary.counts.graded == 24
    assert summary.counts.waiting == 0
    assert len(shown[0]) > len(shown[-1])  # what is done with waits no longer
    assert list(temporary.iterdir()) == []


def test_a_first_run_that_fails_stops_no_other(make_course, run, temporary):
    course = make_course()
    course.submit("ann", {"p1": "answer = 42  # RAISE", "p2": RIGHT})
    course.submit("bob", {"p1": RIGHT, "p2": RIGHT})

    def failing(job):
        if job.part == SHOW and b"RAISE" in (job.submission or b""):
            raise ValueError("the first run was asked to fail")
        return judge(job)

    summary = run(course, grade=failing)
    assert [(s, n) for s, n, _ in summary.failures] == [("ann", "p1")]
    assert summary.counts.graded == 3
    assert list(temporary.iterdir()) == []
