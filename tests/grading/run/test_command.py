"""The command `autograde`: what it prints, what it returns, and how it is stopped."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT
from stand_in_judge import DELAY, DIARY

HERE, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[3]
RIGHT, HALF = "answer = 42", "answer = 21"


def arguments(course, *more):
    return [sys.executable, str(HERE / "command_with_stand_in.py"), "autograde", ASSIGNMENT,
            "--course", str(course.root), *more]  # fmt: skip


def environment(**more):
    return dict(os.environ) | {"PYTHONPATH": str(ROOT)} | more


def call(course, *more, **variables):
    return subprocess.run(
        arguments(course, *more), check=False, capture_output=True, text=True,
        env=environment(**variables), timeout=120,
    )  # fmt: skip


def test_a_class_is_graded_and_the_table_says_how_it_went(course):
    course.submit("ann", {"p1": RIGHT, "p2": HALF})
    course.submit("bob", {"p1": RIGHT, "p2": RIGHT})
    (course.submitted("bob") / "p2.ipynb").write_text("no notebook")
    done = call(course)
    assert done.returncode == 0, done.stderr
    assert re.search(r"p1 +2 +0 +0 +0 +0 +4\.00 of 4", done.stdout)
    assert re.search(r"p2 +2 +0 +1 +1 +0 ", done.stdout)
    assert "needs a look: bob, p2: The file is no notebook." in done.stdout
    assert "4 graded, 0 skipped, 1 need a look, 1 refused" in done.stdout
    assert "wall: stand-in" in done.stdout
    again = call(course)
    assert "0 graded, 4 skipped, 1 need a look" in again.stdout
    # Nothing was graded, and still it is told what a person must look at, and the mean.
    assert "needs a look: bob, p2: The file is no notebook." in again.stdout
    assert "mean automatic points" in again.stdout
    assert re.search(r"p1 +0 +2 +0 +0 +0 +4\.00 of 4", again.stdout)
    assert "a minute" not in again.stdout + again.stderr


def test_who_must_be_looked_at_is_sorted_and_a_long_list_says_how_to_see_the_rest(course):
    for number in range(11, -1, -1):
        course.submit(f"s{number:02}", {"p1": RIGHT})
        (course.submitted(f"s{number:02}") / "p1.ipynb").write_text("no notebook")
    for done in (call(course), call(course)):
        named = re.findall(r"needs a look: (s\d\d), p1", done.stdout)
        assert named == [f"s{number:02}" for number in range(10)]
        assert "needs a look: 2 more: `make report`" in done.stdout


def test_a_student_with_an_empty_folder_is_named_once(course):
    course.submitted("ann").mkdir(parents=True)
    course.submit("bob", {"p1": RIGHT})
    done = call(course)
    assert [line for line in done.stdout.splitlines() if "needs a look" in line] == [
        "needs a look: ann, p1: None of the 2 notebooks was handed in."
    ]
    assert "4 graded, 0 skipped, 1 need a look, 0 refused" in done.stdout


def test_a_failed_notebook_is_exit_status_one(course):
    course.submit("ann", {"p1": RIGHT, "p2": "RAISE"})
    done = call(course)
    assert done.returncode == 1
    assert "not graded: ann, p2: ValueError: the stand-in was asked to fail" in done.stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--student", "nobody"], r"--student names nobody, who handed in nothing"),
        (["--notebook", "p9"], r"--notebook p9 is none of the assignment's notebooks: p1, p2"),
        (["--course", "/dev/null"], r"the course must be a folder, got '/dev/null'"),
        (["--jobs", "0"], r"--jobs: must be a whole number from 1, got '0'"),
    ],
)
def test_what_cannot_be_is_refused_with_advice(course, more, message):
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    done = call(course, *more)
    assert done.returncode == 2
    assert re.search(message, done.stderr)
    assert "Traceback" not in done.stderr


def test_an_unknown_assignment_and_a_course_without_submissions(course):
    done = call(course)
    assert done.returncode == 2
    assert "no submissions: expected" in done.stderr
    done = subprocess.run(
        [*arguments(course)[:3], "week 2", *arguments(course)[4:]], check=False, text=True,
        capture_output=True, env=environment(),
    )  # fmt: skip
    assert done.returncode == 2
    assert "the assignment 'week 2' must have notebooks in" in done.stderr


def test_a_broken_configuration_is_told(make_course):
    course = make_course(more="c.Judge.cpu_seconds = 'much'\n")
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    done = call(course)
    assert done.returncode == 2
    assert "cpu_seconds" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_runs_at_once_are_one_too_many(course):
    from course_lib.grading.run.one_run import only_run

    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    with only_run(course.root):
        done = call(course)
    assert done.returncode == 2
    assert "another run is grading the course" in done.stderr


def wait_for_entries(diary, count):
    for _ in range(1500):
        if len(list(diary.iterdir())) >= count:
            return
        time.sleep(0.02)
    raise AssertionError("the run did not get so far")


@pytest.fixture
def many(course, tmp_path):
    for number in range(20):
        course.submit(f"s{number:02}", {"p1": RIGHT, "p2": HALF})
    (tmp_path / "diary").mkdir()
    return course, tmp_path / "diary"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_it_records_what_it_did_and_goes_on_later(many, number):
    course, diary = many
    started = subprocess.Popen(
        arguments(course, "--jobs", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(**{DELAY: "0.2", DIARY: str(diary)}),
    )  # fmt: skip
    wait_for_entries(diary, 12)
    started.send_signal(number)
    output, errors = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "Run the same command again to go on." in output
    assert "Traceback" not in errors
    recorded = len(course.ledger())
    assert 5 <= recorded < 40
    # Nothing that was begun is lost: the diary has six of the instructor's own besides.
    assert recorded == len(list(diary.iterdir())) - 6
    again = call(course)
    assert f"{40 - recorded} graded, {recorded} skipped" in again.stdout


def test_a_second_ctrl_c_stops_at_once(many):
    course, diary = many
    for number in range(20):
        course.submit(f"s{number:02}", {"p1": f"{RIGHT}  # SLEEP", "p2": "SLEEP"})
    started = subprocess.Popen(
        arguments(course, "--jobs", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(**{DIARY: str(diary)}),
    )  # fmt: skip
    wait_for_entries(diary, 5)
    for _ in range(2):
        started.send_signal(signal.SIGINT)
        time.sleep(1)
    _, errors = started.communicate(timeout=30)  # a notebook sleeps longer
    assert started.returncode == 130
    assert "Traceback" not in errors


def test_without_a_terminal_it_prints_a_line_now_and_then(many, monkeypatch):
    import io

    from stand_in_judge import judge

    from course_lib.grading.run import Choice, autograde, open_course, progress

    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.1)
    monkeypatch.setattr(progress, "SECONDS_BEFORE_RATE", 0.5)
    monkeypatch.setenv(DELAY, "0.03")
    course, _ = many
    stream = io.StringIO()
    autograde(open_course(course.root), ASSIGNMENT, Choice(jobs=1), grade=judge, stream=stream)
    lines = stream.getvalue().splitlines()
    assert len(lines) > 5
    for line in lines[:-1]:
        assert re.fullmatch(
            r"\d+ of 40 notebooks(, \d+ a minute, \d+ s left)?: \d+ graded, 0 skipped, "
            r"0 need a look, 0 refused(, \d+ half done)?", line,
        )  # fmt: skip
    assert "a minute" not in lines[0]  # too early to say
    assert "a minute" in lines[-2]
    assert lines[-1].startswith("40 of 40 notebooks")


def test_on_a_terminal_it_draws_a_bar(many):
    course, _ = many
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 160, 0, 0))
    started = subprocess.Popen(
        arguments(course), stdout=subprocess.PIPE, stderr=follower,
        env=environment(**{DELAY: "0.05"}),
    )  # fmt: skip
    os.close(follower)
    drawn = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    os.close(leader)
    assert started.stdout is not None
    started.stdout.read()
    started.stdout.close()
    assert started.wait(60) == 0
    text = drawn.decode()
    assert re.search(
        r"\d+% \|.*\| \d+/40 \[\d\d:\d\d, \d\d:\d\d left, .*nb.*, \d+ graded, .*\]", text
    )
    assert "40 graded, 0 skipped, 0 need a look, 0 refused" in text
