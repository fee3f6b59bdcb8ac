"""Many jobs at a time: in a window, each answered once, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT
from stand_in_judge import DELAY, DIARY

from course_lib.grading.job import Job
from course_lib.grading.result import CellScore, Remark, Result
from course_lib.grading.run import PoolError, in_window, open_pool, second_try
from course_lib.grading.run.fingerprint import judge_version
from course_lib.grading.run.pool import WrongVersion, call_worker
from course_lib.grading.run.second_try import grade_surely

HERE, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[3]
RIGHT, HALF = "answer = 42", "answer = 21"


def double(number: int) -> int:
    if number == 13:
        raise ValueError("thirteen")
    return 2 * number


def test_each_job_is_answered_once_and_a_failing_one_stops_no_other():
    with open_pool(3) as (executor, width):
        answers = list(in_window(executor, double, ((n, n) for n in range(50)), 2 * width))
    assert len(answers) == 50
    found = dict(answers)
    assert isinstance(found.pop(13), ValueError)
    assert found == {n: 2 * n for n in range(50) if n != 13}


def test_jobs_are_read_only_as_they_are_needed():
    read, answered = 0, 0
    most = 0

    def jobs():
        nonlocal read
        for number in range(10_000):
            read += 1
            yield number, number

    with open_pool(2) as (executor, _):
        for _ in in_window(executor, abs, jobs(), 8):
            answered += 1
            most = max(most, read - answered)
    assert answered == read == 10_000
    assert most <= 8


def test_stopping_begins_nothing_new_and_still_answers_what_runs():
    stop, begun = threading.Event(), []

    def slow(number: int) -> int:
        begun.append(number)
        time.sleep(0.05)
        return number

    with ThreadPoolExecutor(2) as executor:
        answers = []
        for key, answer in in_window(
            executor, slow, ((n, n) for n in range(100)), 4, stopped=stop.is_set
        ):
            answers.append((key, answer))
            stop.set()
    assert sorted(key for key, _ in answers) == sorted(begun)
    assert len(begun) <= 4


def test_a_worker_with_another_judge_is_refused():
    assert call_worker(abs, -3, judge_version()) == 3
    with pytest.raises(WrongVersion, match=r"another version of course_lib\.grading"):
        call_worker(abs, -3, "0" * 64)


def test_a_scheduler_that_is_not_there_is_told():
    pytest.importorskip("distributed")
    with (
        pytest.raises(PoolError, match="no Dask scheduler answers at 'nonsense://x'"),
        open_pool(0, "nonsense://x"),
    ):
        pass


def result(score: float, limit: str = "", kind: str = "") -> Result:
    remarks = (Remark(kind, "…"),) if kind else ()
    return Result({}, (CellScore("a", "code", score, 4, "passed", limit=limit),), remarks)


@pytest.mark.parametrize(
    ("kills", "first", "second", "counted"),
    [
        (1, result(0, "memory"), result(4), 4),  # the system was short of memory
        (1, result(1, kind="broke_off"), result(4), 4),
        (1, result(2, "crash"), result(1, "crash"), 1),  # one judging counts, not the better
        (0, result(0, "memory"), None, 0),  # what the answer brings about itself is not repeated
        (0, result(2, "crash"), None, 2),
        (0, result(1, kind="broke_off"), None, 1),
        (1, result(1, "cpu time"), None, 1),  # no second try for what ran out of time
        (1, result(0), None, 0),
    ],
)
def test_what_the_system_killed_is_tried_once_more(monkeypatch, kills, first, second, counted):
    told = iter([3, 3 + kills])
    monkeypatch.setattr(second_try, "memory_kills", lambda: next(told))
    answers = iter([first, second])
    job = Job(b"", None)
    assert grade_surely(lambda _: next(answers), job).score == counted
    assert (next(answers, "no more") == "no more") == (second is not None)


def test_a_second_try_has_the_same_seed_and_only_the_time_that_is_left(monkeypatch):
    told = iter([0, 1])
    monkeypatch.setattr(second_try, "memory_kills", lambda: next(told))
    jobs = []

    def grade(job):
        jobs.append(job)
        return result(0, "memory")

    grade_surely(grade, Job(b"", None, seed=7))
    first, second = (job.spent for job in jobs)
    assert [job.seed for job in jobs] == [7, 7]
    assert first == 0 < second < 30


# ---------------------------------------------------------------- a real scheduler, real workers


class Cluster:
    """A Dask scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, delay: float) -> None:
        self.diary = folder / "diary"
        self.diary.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._environment = dict(os.environ) | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")]),
            DELAY: str(delay),
            DIARY: str(self.diary),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "3",
        }
        self._folder = folder
        self.processes = [
            self._start("dask_scheduler", f"--host=127.0.0.1 --port={port} --no-dashboard")
        ]
        self.workers = [self.add_worker(), self.add_worker()]

    def _start(self, module: str, arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{module}.log").open("ab")
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *arguments.split()],
            cwd=self._folder, env=self._environment, stdout=log, stderr=log,
        )  # fmt: skip

    def add_worker(self) -> subprocess.Popen[bytes]:
        options = "--nthreads=2 --no-nanny --no-dashboard --host=127.0.0.1"
        worker = self._start("dask_worker", f"{self.address} {options}")
        self.processes.append(worker)
        return worker

    def wait(self) -> None:
        from distributed import Client

        with Client(self.address, timeout=30, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=30)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def cluster(tmp_path):
    pytest.importorskip("distributed")
    started = Cluster(tmp_path, delay=0.1)
    try:
        started.wait()
        yield started
    finally:
        started.close()


def test_one_of_two_workers_is_killed_in_the_middle(cluster, course, make_course, run):
    students = [f"s{number:02}" for number in range(15)]
    for each in (course, other := make_course()):
        (each.root / ".judge_secret").write_text("0" * 64)
        for student in students:
            each.submit(student, {"p1": RIGHT, "p2": HALF})
    killed_at = []

    def kill() -> None:
        while len(list(cluster.diary.iterdir())) < 10:
            time.sleep(0.02)
        cluster.workers[0].send_signal(signal.SIGKILL)
        killed_at.append(len(list(cluster.diary.iterdir())))

    killer = threading.Thread(target=kill)
    killer.start()
    summary = run(course, scheduler=cluster.address)
    killer.join()
    assert cluster.workers[0].wait(10) == -signal.SIGKILL
    assert killed_at[0] < 34  # 30 notebooks, and four of the instructor's own
    assert (summary.counts.graded, summary.counts.failed) == (30, 0)
    run(other)
    assert course.state() == other.state()
    # Done a second time: at most what was not answered yet when the worker died.
    assert 34 <= len(list(cluster.diary.iterdir())) <= 34 + 8


def test_a_scheduler_without_workers_is_told(cluster, course, run):
    for worker in cluster.workers:
        worker.terminate()
        worker.wait(10)
    time.sleep(0.5)
    course.submit("ann", {"p1": RIGHT, "p2": HALF})
    with pytest.raises(PoolError, match="the scheduler has no workers: start some"):
        run(course, scheduler=cluster.address)


def test_the_command_line_takes_a_scheduler(cluster, course):
    course.submit("ann", {"p1": RIGHT, "p2": HALF})
    done = subprocess.run(
        [sys.executable, HERE / "command_with_stand_in.py", "autograde", ASSIGNMENT,
         "--scheduler", cluster.address, "--course", course.root],
        check=False, capture_output=True, text=True, timeout=60,
        env=dict(os.environ)
        | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert course.grades()["ann", "p2", "check"] == (2, None, 0)
