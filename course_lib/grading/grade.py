"""Grade notebooks: `grade` for one, `grade_job` for the workers of a run."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

from course_lib.grading.errors import JudgeError
from course_lib.grading.job import Job
from course_lib.grading.own_folder import OwnFolder
from course_lib.grading.result import Result
from course_lib.grading.settings import Settings
from course_lib.grading.template import Delimiters

_own = threading.local()
_all: list[Worker] = []
_lock = threading.Lock()


def grade(
    source: str | Path,
    submission: str | Path,
    settings: Settings | None = None,
    seed: int = 0,
    delimiters: Delimiters | None = None,
) -> Result:
    """Grade one submitted notebook by the instructor's, with no course folder and no database.

    source: the instructor's notebook, with solutions and hidden tests. submission: the student's
    notebook. seed: where the random generators of both start. delimiters: nbgrader's marks and
    stubs, if they are not its own defaults.

    Raises:
        JudgeError: no wall can be had on this machine, or the source cannot be judged by.
        OSError: a file cannot be read.
    """
    job = Job(
        Path(source).read_bytes(),
        Path(submission).read_bytes(),
        seed,
        settings or Settings(),
        delimiters or Delimiters(),
    )
    return grade_job(job)


def grade_job(job: Job) -> Result:
    """Grade one notebook in this thread's own pair of processes.

    Raises:
        JudgeError: as for `grade`.
    """
    worker: Worker | None = getattr(_own, "worker", None)
    if worker is None or worker.settings != job.settings or not worker.alive:
        if worker is not None:
            worker.close()
        worker = _new_worker(job.settings)
    try:
        return worker.grade(job)
    except BrokenPipeError:  # the judge's process was killed: once more, with a new one
        worker.close()
        try:
            return _new_worker(job.settings).grade(job)
        except BrokenPipeError:
            raise JudgeError("the judge's process ended twice over one notebook") from None


def _new_worker(settings: Settings) -> Worker:
    """Start this thread's own worker."""
    worker: Worker = Worker(settings)
    _own.worker = worker
    with _lock:
        _all.append(worker)
    return worker


def close_workers() -> None:
    """End the processes of all threads."""
    with _lock:
        while _all:
            _all.pop().close()


atexit.register(close_workers)


class Worker:
    """A judge's process, which has a process for students' code of its own."""

    def __init__(self, settings: Settings) -> None:
        from course_lib.grading.wall import ONE_THREAD

        self.settings = settings
        self._own_folder = OwnFolder()
        self.folder = self._own_folder.path
        # Others' code may pass through the folder and read data files, but not list it.
        self.folder.chmod(0o711)
        start = self.folder / "start.pickle"
        start.write_bytes(pickle.dumps((settings, str(self.folder))))
        start.chmod(0o600)
        environment = {**os.environ, **settings.environment, **ONE_THREAD}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["NBGRADER_EXECUTION"] = "autograde"  # nbgrader sets it for the same purpose
        environment.pop("PYTHONOPTIMIZE", None)  # it would take the asserts out of tests
        environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "course_lib.grading.judge.server", str(start)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True,
        )  # fmt: skip
        self._lock = threading.Lock()
        said = json.loads(self._read() or b"{}")
        if "ready" not in said:
            self.close()
            raise JudgeError(said.get("error", "the judge's process did not start"))

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def grade(self, job: Job) -> Result:
        """Grade one notebook.

        Raises:
            BrokenPipeError: the process has ended.
        """
        from course_lib.grading.judge.frames import write_frame

        with self._lock:
            assert self.process.stdin is not None
            write_frame(self.process.stdin, pickle.dumps(job))
            answer = self._read()
        if answer is None:
            raise BrokenPipeError("the judge's process has ended")
        data = json.loads(answer)
        if "error" in data:
            raise JudgeError(data["error"])
        return Result.from_plain(data)

    def _read(self) -> bytes | None:
        from course_lib.grading.judge.frames import read_frame

        assert self.process.stdout is not None
        return read_frame(self.process.stdout)

    def close(self) -> None:
        """End the process, and what it started."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._own_folder.remove()
