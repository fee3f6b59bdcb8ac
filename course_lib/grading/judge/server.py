"""The process that judges: it forks a child for every notebook, so that none leaves a trace.

    python -m course_lib.grading.judge.server SETTINGS

reads jobs on standard input and writes results on standard output, each as eight bytes of length
and a pickle (`Job`) or JSON. SETTINGS is a file with the pickled Settings and a folder. Only the
grader itself talks to it; the student's code is another process, and never writes here.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from course_lib.grading.errors import JudgeError
from course_lib.grading.job import JUDGE, SHOW, WHOLE, Job
from course_lib.grading.judge.far_server import FarServer
from course_lib.grading.judge.far_side import FarSide
from course_lib.grading.judge.frames import LENGTH, read_frame, write_frame
from course_lib.grading.judge.notebook import TEST_FACTOR, Grading, read_ahead
from course_lib.grading.judge.quiet import is_quiet
from course_lib.grading.judge.shown import Shown
from course_lib.grading.judge.written import as_typed
from course_lib.grading.names import import_lines
from course_lib.grading.result import FAILED, MANUAL, CellScore, Remark, Result
from course_lib.grading.settings import Settings
from course_lib.grading.shell import Shell
from course_lib.grading.submission import read_submission
from course_lib.grading.template import SETUP, TEST, Template, read_template

MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
# Bytes of address space that one notebook's judge has: as many judges as cores fit in the memory.
JUDGE_MEMORY = max(2 * 2**30, min(8 * 2**30, MEMORY // ((os.cpu_count() or 1) + 1)))
# NumPy imports these at first use, which would be in every child.
LAZY_PARTS = ("numpy.random", "numpy.linalg", "numpy.ma", "numpy.testing", "numpy.fft")
SECONDS_TO_STOP = 5.0  # that a test has to end itself in time
KEPT = 8  # templates, and far servers, that are kept ready


class Server:
    """Judges one notebook after the other.

    folder: a private folder for data files, where the far side may read.
    """

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings = settings
        self.folder = folder / "data"
        self.folder.mkdir()
        # Each assignment's files lie under a name that only who has them can work out; the folder
        # itself cannot be listed, so that an answer does not see other assignments' files.
        self.folder.chmod(0o311)
        self.templates: dict[bytes, Template] = {}
        self.far_servers: dict[tuple[str, ...], FarServer] = {}
        self.handed_out: dict[Path, Listing] = {}  # the data folders as they were made
        for name in LAZY_PARTS:
            _import_ahead(f"import {name}")
        self.shell = Shell.make()
        self.far_server(settings.packages)

    def far_server(self, packages: tuple[str, ...]) -> FarServer:
        """Return the process that forks far sides which may import `packages`."""
        if packages not in self.far_servers:
            if len(self.far_servers) >= KEPT:
                self.far_servers.pop(next(iter(self.far_servers))).close()
            settings = Settings(**{**vars(self.settings), "packages": packages})
            self.far_servers[packages] = FarServer(settings, self.folder)
        return self.far_servers[packages]

    def template(self, job: Job) -> Template:
        """Return the job's notebook taken apart; import once what its cells import."""
        key = pickle.dumps((job.source, job.delimiters))
        if key not in self.templates:
            if len(self.templates) >= KEPT:
                self.templates.pop(next(iter(self.templates)))
            template = read_template(json.loads(job.source.decode("utf-8-sig")), job.delimiters)
            for cell in template.cells:
                if cell.kind in (SETUP, TEST) and cell.cell_type == "code":
                    _import_ahead(import_lines(cell.source))
            if any(cell.answered and cell.cell_type != "code" for cell in template.cells):
                _import_ahead("import course_lib.grading.judge.rendered")
            read_ahead(template)
            read_submission(job.source, template)  # what it notes of a template, it keeps
            gc.collect()
            gc.freeze()
            self.templates[key] = template
        return self.templates[key]

    def data_folder(self, job: Job) -> Path:
        """Return the folder with the files that were handed out beside the notebook."""
        folder = self.folder / job.data_digest()
        if folder not in self.handed_out:
            fresh = self.folder / f"new-{os.getpid()}"
            for name, content in job.data:
                path = fresh / name
                if not path.resolve().is_relative_to(fresh.resolve()):
                    raise JudgeError(f"a data file lies outside of the assignment: {name}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            fresh.mkdir(parents=True, exist_ok=True)
            fresh.rename(folder)
            self.handed_out[folder] = _listing(folder)
        return folder

    def clear(self, folder: Path) -> None:
        """Drop a data folder that a test has written into: the next notebook gets a fresh one."""
        if _listing(folder) != self.handed_out[folder]:
            del self.handed_out[folder]
            shutil.rmtree(folder)

    def judge(self, job: Job) -> bytes:
        """Judge one notebook, each run of it in a child of its own; return its Result as JSON."""
        template = self.template(job)
        if job.part != WHOLE or not template.has_hidden:
            return self._run(job, template)
        first = json.loads(self._run(replace(job, part=SHOW), template))
        spent = job.spent + first["wall_seconds"]
        return self._run(replace(job, part=JUDGE, shown=first["shown"], spent=spent), template)

    def _run(self, job: Job, template: Template) -> bytes:
        """Do one run of a notebook in a child; return its Result as JSON."""
        shown = Shown.from_text(job.shown) if job.part == JUDGE else None
        only_shown = shown is None and template.has_hidden
        packages = job.packages(template, self.settings)
        if only_shown and is_quiet(job.submission, template, packages):
            return _only_shown(0.0)
        # Both runs together have the limit: half of it for the first, what is left for the second.
        left = max(0.0, self.settings.limits.judge_seconds - job.spent)
        left = left / 2 if only_shown else left
        seconds = min(left, job.slice or left)
        started = time.monotonic()
        stuck: set[str] = set()
        kept: list[CellScore] = []
        while True:
            before = time.monotonic() - started  # what children took whose test hung
            told = self._in_child(job, template, shown, stuck, kept, seconds - before)
            if not told.hangs or told.hangs in stuck:
                break
            stuck.add(told.hangs)
            kept = told.scores
        took = time.monotonic() - started
        if told.result is not None:
            return _longer(told.result, before) if stuck else told.result
        if seconds < left and took >= seconds:
            return json.dumps(Result({}, (), broken_off=True).to_plain()).encode()
        if only_shown:
            return _only_shown(took)
        took += shown.wall_seconds if shown is not None else 0.0
        return _unfinished(template, told, took, self.settings)

    def _in_child(
        self,
        job: Job,
        template: Template,
        shown: Shown | None,
        stuck: Collection[str],
        kept: Collection[CellScore],
        seconds: float,
    ) -> Told:
        """Fork a child that does the run; return what it told."""
        far_server = self.far_server(job.packages(template, self.settings))
        folder = self.data_folder(job)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _be_child(
                lambda: self._result(
                    job, template, shown, stuck, kept, far_server, folder, writing
                ),
                writing,
            )
        os.close(writing)
        try:
            return self._collect(reading, pid, seconds)
        finally:
            os.close(reading)
            with contextlib.suppress(JudgeError):
                far_server.ask({"do": "end"})
            self.clear(folder)

    def _result(
        self,
        job: Job,
        template: Template,
        shown: Shown | None,
        stuck: Collection[str],
        kept: Collection[CellScore],
        far_server: FarServer,
        folder: Path,
        writing: int,
    ) -> Result:
        """Judge in this process; tell every score as it comes."""
        limits = self.settings.limits
        os.chdir(folder)
        submission = read_submission(job.submission or b"", template)
        if job.submission is None and job.remarks:  # which say what is not there
            submission = replace(submission, remarks=())
        texts = {name: answer.source for name, answer in submission.answers.items()}
        _tell(writing, b"A", json.dumps(texts).encode())
        grading = Grading(
            template,
            submission,
            lambda: FarSide(far_server, limits, folder, seed_for("answers", job.seed)),
            self.shell,
            dict(job.modes),
            lambda score: _tell(writing, b"S", json.dumps(asdict(score)).encode()),
            shown,
            lambda test: _tell(writing, b"T", test.encode()),
            stuck,
            kept,
        )
        _seed(seed_for("judge", job.seed))
        return grading.run(job.remarks)

    def _collect(self, reading: int, pid: int, seconds: float) -> Told:
        """Read what the child tells until it is done, or out of time."""
        deadline = time.monotonic() + seconds
        patience = TEST_FACTOR * self.settings.limits.wall_seconds + SECONDS_TO_STOP
        test, begun = "", 0.0
        told = Told()
        data = bytearray()
        while True:
            now = time.monotonic()
            end_of_test = begun + patience if test else deadline
            ready, _, _ = select.select(
                [reading], [], [], max(0.0, min(deadline, end_of_test) - now)
            )
            part = os.read(reading, 2**20) if ready else b""
            if not part:
                break
            data += part
            while len(data) >= 9 and len(data) >= 9 + LENGTH.unpack_from(data, 1)[0]:
                end = 9 + LENGTH.unpack_from(data, 1)[0]
                kind, body = data[:1], bytes(data[9:end])
                del data[:end]
                if kind == b"S":
                    told.scores.append(CellScore.from_plain(json.loads(body)))
                    test = ""
                elif kind == b"T":
                    test, begun = body.decode(), time.monotonic()
                elif kind == b"A":
                    told.answers = json.loads(body)
                elif kind == b"E":
                    os.waitpid(pid, 0)
                    raise JudgeError(body.decode())
                else:
                    told.result = body
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        if told.result is None and test and time.monotonic() >= begun + patience:
            told.hangs = test
        return told


@dataclass
class Told:
    """What a child told: scores as they came, texts of the answers, its Result as JSON.

    hangs: the test that it was at for so long that no alarm can have ended it, or "".
    """

    scores: list[CellScore] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    result: bytes | None = None
    hangs: str = ""


Listing = frozenset[tuple[str, int, int, int]]


def _listing(folder: Path) -> Listing:
    """Return what shows a change of a folder: its files' names, inodes, sizes and times."""
    return frozenset(
        (str(path), status.st_ino, status.st_size, status.st_mtime_ns)
        for path in (folder, *folder.rglob("*"))
        for status in (path.lstat(),)
    )


def _be_child(judge: Callable[[], Result], writing: int) -> None:
    """Judge, tell the result, and end; never returns."""
    try:
        _die_with_parent()  # else a killed run leaves a judge that waits for an endless test
        resource.setrlimit(resource.RLIMIT_AS, (JUDGE_MEMORY, JUDGE_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        result = judge()
        _tell(writing, b"R", json.dumps(result.to_plain()).encode())
    except JudgeError as error:
        _tell(writing, b"E", str(error).encode())
    except BaseException:
        import traceback

        traceback.print_exc(limit=-8)
    finally:
        os._exit(0)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        from course_lib.grading.wall import die_with_parent

        die_with_parent()


def _tell(writing: int, kind: bytes, body: bytes) -> None:
    view = memoryview(kind + LENGTH.pack(len(body)) + body)
    while view:
        view = view[os.write(writing, view) :]


def _only_shown(seconds: float) -> bytes:
    """Return the Result of a first run that shows nothing, as JSON."""
    shown = Shown(wall_seconds=seconds).to_text()
    return json.dumps(Result({}, (), wall_seconds=seconds, shown=shown).to_plain()).encode()


def _longer(result: bytes, seconds: float) -> bytes:
    """Return a Result as JSON that took so much longer, in children before."""
    plain = json.loads(result)
    plain["wall_seconds"] += seconds
    return json.dumps(plain).encode()


def _unfinished(template: Template, told: Told, seconds: float, settings: Settings) -> bytes:
    """Return the Result of a notebook whose judging broke off: a person still grades the words."""
    scores = told.scores
    done = {score.grade_id for score in scores}
    graded = [cell for cell in template.cells if cell.graded]
    at = next((cell.grade_id for cell in graded if cell.grade_id not in done), "the end")
    limits = settings.limits
    text = (
        f"Judging broke off at {at}: it ran out of time ({limits.judge_seconds:g} s for a "
        f"notebook, {limits.student_seconds:g} s for all of a student's) or memory. The exercises "
        "before it have their points, the others none yet."
    )
    rest = tuple(
        CellScore(cell.grade_id, cell.cell_type, 0.0, cell.points, FAILED, text)
        if cell.kind == TEST
        else CellScore(cell.grade_id, cell.cell_type, None, cell.points, MANUAL)
        for cell in graded
        if cell.grade_id not in done
    )
    cells = [dict(cell) for cell in template.notebook["cells"]]
    for cell in template.cells:
        if cell.answered:
            answer = told.answers.get(cell.grade_id, cell.public)
            words = answer if cell.cell_type == "code" else as_typed(answer)
            cells[cell.index]["source"] = words
    notebook = {**template.notebook, "cells": cells}
    remark = Remark("broke_off", text, needs_look=True)
    found = Result(notebook, (*scores, *rest), (remark,), wall_seconds=seconds)
    return json.dumps(found.to_plain()).encode()


def _import_ahead(lines: str) -> None:
    """Run import statements, so that children find the modules there."""
    for line in lines.split("\n"):
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(line, {"__name__": "__main__"})


def seed_for(side: str, seed: int) -> int:
    """Return a side's own seed: what a test draws must not be what an answer can draw before it."""
    return int.from_bytes(hashlib.sha256(f"{side} {seed}".encode()).digest()[:8])


def _seed(seed: int) -> None:
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002


def main() -> None:
    """Serve."""
    start = Path(sys.argv[1])
    settings, folder = pickle.loads(start.read_bytes())
    start.unlink()
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an instructor's cell prints past Python must not mix with results
    jobs = os.fdopen(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader decides when to stop
    _die_with_parent()
    os.umask(0o022)  # the student's side, another user, reads what is written
    try:
        _serve(settings, Path(folder), jobs, output)
    except BrokenPipeError:
        os._exit(0)  # the grader is gone; what waits to be written has no reader


def _serve(settings: Settings, folder: Path, jobs: BinaryIO, output: BinaryIO) -> None:
    try:
        server = Server(settings, folder)
    except JudgeError as error:
        write_frame(output, json.dumps({"error": str(error)}).encode())
        return
    write_frame(output, json.dumps({"ready": True}).encode())
    while (data := read_frame(jobs)) is not None:
        try:
            write_frame(output, server.judge(pickle.loads(data)))
        except (JudgeError, ValueError) as error:
            write_frame(output, json.dumps({"error": str(error)}).encode())


if __name__ == "__main__":
    main()
