"""Killed at any point, the next run ends where an undisturbed one would have."""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT, ScratchCourse
from stand_in_judge import judge

from course_lib.grading.run import Choice, autograde, open_course

if not hasattr(os, "fork"):
    pytest.skip("needs fork", allow_module_level=True)

RIGHT, HALF, WRONG = "answer = 42", "answer = 21", "answer = 1"
# What changes the disk; a process is killed just before one of them.
STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.link"}


def start(course: ScratchCourse) -> None:
    chosen = Choice(jobs=2)
    autograde(open_course(course.root), ASSIGNMENT, chosen, grade=judge, stream=io.StringIO())


def in_a_process(work: Callable[[], None], seconds: float | None = None) -> int:
    """Run `work` in a process, which is killed after so many seconds; return its exit status."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.__stderr__)
            os._exit(1)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killing_itself_at(step: int, work: Callable[[], None]) -> Callable[[], None]:
    """Return `work`, in a process of its own, which ends at its n-th change of the disk."""

    def run() -> None:
        left = step

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event not in STEPS or (event == "open" and not _writes(arguments)):
                return
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        work()

    return run


def _writes(arguments: tuple[object, ...]) -> bool:
    mode = arguments[1]
    return isinstance(mode, str) and mode[:1] in ("w", "x", "a")


@pytest.fixture(scope="module")
def before(tmp_path_factory, released_gradebook) -> ScratchCourse:
    """A course with some grades, and much to do: new, changed, withdrawn and unreadable answers."""
    course = ScratchCourse(tmp_path_factory.mktemp("before") / "course")
    shutil.copy(released_gradebook, course.root / "gradebook.db")
    for student in ("ann", "bob", "cid"):
        course.submit(student, {"p1": RIGHT, "p2": WRONG}, "2026-03-01 10:00:00 UTC")
        (course.submitted(student) / "notes.txt").write_text("old")
    start(course)
    course.sql("UPDATE grade SET manual_score = 1 WHERE auto_score = 4")
    course.submit("ann", {"p1": WRONG, "p2": RIGHT}, "2026-03-02 10:00:00 UTC")
    (course.submitted("ann") / "notes.txt").write_text("new")
    (course.submitted("bob") / "notes.txt").unlink()
    (course.submitted("bob") / "p1.ipynb").unlink()
    (course.submitted("cid") / "p2.ipynb").write_text("{")
    for student in ("dora", "egon", "fay"):
        course.submit(student, {"p1": HALF, "p2": RIGHT})
    return course


def copy_of(course: ScratchCourse, place: Path) -> ScratchCourse:
    shutil.copytree(course.root, place)
    copy = object.__new__(ScratchCourse)
    copy.root = place
    return copy


@pytest.fixture(scope="module")
def undisturbed(before, tmp_path_factory):
    course = copy_of(before, tmp_path_factory.mktemp("undisturbed") / "course")
    started = time.monotonic()
    assert in_a_process(lambda: start(course)) == 0
    return course.state(), time.monotonic() - started


def test_killed_before_any_change_of_the_disk(before, undisturbed, tmp_path, seed):
    expected, _ = undisturbed
    chance = random.Random(seed)
    points = 0
    for number in range(10):
        course = copy_of(before, tmp_path / f"course {number}")
        step = 0
        for _ in range(3):  # killed again while it recovers
            step = chance.randrange(0, 45)
            work = killing_itself_at(step, lambda: start(course))  # noqa: B023 - run at once
            points += in_a_process(work) == -signal.SIGKILL
        assert in_a_process(lambda: start(course)) == 0  # noqa: B023
        assert course.state() == expected, f"killed at step {step} (seed {seed})"
        assert not list((course.root / "autograded").rglob(".*"))
    assert points >= 20


def test_killed_at_any_time(before, undisturbed, tmp_path, seed):
    expected, longest = undisturbed
    chance = random.Random(seed)
    for number in range(6):
        course = copy_of(before, tmp_path / f"course {number}")
        killed = 0
        while killed < 2:  # the second time while it recovers
            moment = chance.uniform(0, longest)
            if in_a_process(lambda: start(course), moment) == -signal.SIGKILL:  # noqa: B023
                killed += 1
                continue
            longest = moment  # it had ended by then: the machine is less busy than before
            course = copy_of(before, tmp_path / f"course {number}, after {moment} s")
            killed = 0
        assert in_a_process(lambda: start(course)) == 0  # noqa: B023
        assert course.state() == expected, f"seed {seed}"
        assert not list((course.root / "autograded").rglob(".*"))


def test_killed_while_the_assignment_is_released(tmp_path, seed):
    """The first run of all: no gradebook, no exercises, no secret."""
    first = ScratchCourse(tmp_path / "first")
    first.submit("ann", {"p1": RIGHT, "p2": HALF})
    (first.root / ".judge_secret").write_text("0" * 64)
    chance = random.Random(seed)
    course = copy_of(first, tmp_path / "killed")
    for _ in range(4):
        in_a_process(lambda: start(course), chance.uniform(0.2, 2.0))
    assert in_a_process(lambda: start(course)) == 0
    assert in_a_process(lambda: start(first)) == 0
    assert course.state() == first.state()
    released = {p.name: p.read_bytes() for p in (course.root / "exercises" / ASSIGNMENT).iterdir()}
    assert released == {
        p.name: p.read_bytes() for p in (first.root / "exercises" / ASSIGNMENT).iterdir()
    }


@pytest.mark.parametrize("damage", ["DROP TABLE alembic_version", "DELETE FROM alembic_version"])
def test_a_gradebook_whose_making_was_cut_off_gets_its_version(course, run, damage):
    course.submit("ann", {"p1": RIGHT, "p2": HALF})
    before = course.sql("SELECT * FROM alembic_version")
    course.sql(damage)
    run(course)
    assert course.sql("SELECT * FROM alembic_version") == before
