"""A few that sleep or never end hold up nobody: the slow ones come last, and every budget holds."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from scratch_course import ASSIGNMENT
from stand_in_judge import judge

from course_lib.grading.job import JUDGE, SHOW, WHOLE
from course_lib.grading.result import Result
from course_lib.grading.run import Choice, autograde, open_course
from course_lib.grading.run.pace import BESIDES, SHORTEST, Pace

RIGHT = "answer = 42"
ENDLESS = 1e9


class Machine:
    """A judge whose notebooks take as many seconds as they say: `answer = 42  # 0.5 s`."""

    def __init__(self) -> None:
        self.shown = {}
        self.runs = []  # (part, seconds that it says, slice, seconds that it took)

    def __call__(self, job):
        said = re.search(rb"# (\S+) s\b", job.submission or b"")
        wanted = float(said[1]) if said else 0.1
        left = job.settings.limits.judge_seconds - job.spent
        left = left / 2 if job.part == SHOW else left
        took = max(0.0, min(wanted, left, job.slice or left))
        self.runs.append((job.part, wanted, job.slice, took))
        if job.slice and took == job.slice:
            return Result({}, (), broken_off=True)
        if job.part == SHOW:
            return Result({}, (), wall_seconds=took, shown=json.dumps({"of": wanted}))
        before = 0.0 if job.part == WHOLE else wanted
        if job.part == JUDGE:
            self.shown[wanted] = job.shown
        return replace(judge(job), wall_seconds=took + before)


def graded(course, honest, others):
    """Grade a class; return the machine, the summary and what was printed."""
    for number in range(honest):
        course.submit(f"m{number:03}", {"p1": f"{RIGHT}  # {0.15 + number / 1000} s"})
    for number, seconds in enumerate(others):
        course.submit(f"{'az'[number % 2]}{number:03}", {"p1": f"{RIGHT}  # {seconds + number} s"})
    machine, said = Machine(), io.StringIO()
    choice = Choice(jobs=2, notebook="p1")
    summary = autograde(open_course(course.root), ASSIGNMENT, choice, grade=machine, stream=said)
    return machine, summary, said.getvalue()


def part(machine, name):
    return [run for run in machine.runs if run[0] == name]


def test_the_honest_are_done_before_the_slow_begin_in_earnest(make_course):
    machine, summary, _ = graded(make_course(), 70, [1000] * 30)
    honest_done = max(k for k, run in enumerate(machine.runs) if run[1] < 1)
    taken = sum(run[3] for run in machine.runs[: honest_done + 1])
    alone = sum(run[3] for run in machine.runs if run[1] < 1)
    assert taken < 1.5 * alone + BESIDES
    assert summary.counts.graded == 100
    assert summary.counts.waiting == 0


def test_what_is_slow_is_judged_to_its_end_and_shown_nothing(make_course):
    machine, _, _ = graded(make_course(), 70, [200] * 30)
    last = [run for run in part(machine, JUDGE) if run[1] > 1][-30:]
    assert all(run[2] == 0 for run in last)
    assert all(run[3] == run[1] for run in last)
    assert all(
        json.loads(shown).get("broken_off") == (seconds > 1) or seconds < 1
        for seconds, shown in machine.shown.items()
    )


def test_one_that_is_slow_among_many_gets_the_time_that_is_to_spare(make_course):
    machine, _, _ = graded(make_course(), 60, [0.6, ENDLESS, ENDLESS, ENDLESS])
    tries = [run for run in part(machine, SHOW) if run[1] == 0.6]
    assert [run[3] == 0.6 for run in tries] == [False, True]
    assert json.loads(machine.shown[0.6]) == {"of": 0.6}


def test_in_a_small_class_nothing_is_broken_off(make_course):
    machine, _, _ = graded(make_course(), 3, [100])
    assert {run[2] for run in machine.runs} == {0.0}


def test_no_hidden_test_runs_before_the_last_first_run(make_course):
    machine, _, _ = graded(make_course(), 40, [0.5, 5, 50, ENDLESS])
    parts = [run[0] for run in machine.runs if run[0] != WHOLE]
    assert parts.index(JUDGE) > max(k for k, name in enumerate(parts) if name == SHOW)


@pytest.mark.parametrize("others", [[ENDLESS] * 3, [ENDLESS] * 30])
def test_a_notebook_takes_no_more_than_its_limit_in_all_its_runs(make_course, others):
    machine, _, _ = graded(make_course(), 30, others)
    for number in range(len(others)):
        taken = sum(run[3] for run in machine.runs if run[1] == ENDLESS + number)
        assert taken <= 300 + 1e-6


def test_a_student_takes_no_more_than_a_students_limit(make_course):
    names = tuple(f"p{k}" for k in range(1, 7))
    course = make_course(notebooks=names, more="c.Judge.student_seconds = 400\n")
    course.submit("ann", dict.fromkeys(names, f"{RIGHT}  # {ENDLESS} s"))
    course.submit("bob", dict.fromkeys(names, f"{RIGHT}  # 50 s"))
    machine = Machine()
    autograde(
        open_course(course.root), ASSIGNMENT, Choice(jobs=1), grade=machine, stream=io.StringIO()
    )
    assert sum(run[3] for run in machine.runs if run[1] == ENDLESS) <= 400 + 300
    # What was read ahead while others of the student's ran was given its time already.
    assert 400 <= sum(run[3] for run in machine.runs if run[1] == 50) <= 500


def test_a_run_says_that_its_time_is_over_and_goes_on_later(make_course):
    course = make_course(more="c.Judge.run_seconds = 1\n")
    for number in range(40):
        course.submit(f"s{number:02}", {"p1": RIGHT, "p2": RIGHT})

    def slow(job):
        import time

        time.sleep(0.1)
        return judge(job)

    said = io.StringIO()
    summary = autograde(
        open_course(course.root), ASSIGNMENT, Choice(jobs=2), grade=slow, stream=said
    )
    assert summary.interrupted
    assert summary.counts.graded < 80
    assert "c.Judge.run_seconds" in said.getvalue()


def test_a_slice_follows_what_is_usual():
    pace = Pace(own=0.5)
    assert pace.slice == 1.0
    pace.finished += [3.0] * 10 + [0.0] * 50
    assert pace.slice == 6.0
    assert Pace(own=0.0).slice == SHORTEST


def test_time_to_spare_is_a_share_of_what_the_others_take():
    pace = Pace(own=1.0, finished=[1.0] * 100)
    assert [pace.again(times) for times in (1, 2, 3)] == [4.0, 8.0, 16.0]
    pace.broken_off += [2.0] * 41
    assert pace.again(1) == 0.0
