"""Grade all submissions of an assignment: read, judge in parallel, record one by one, resume.

The order of writes makes a run exactly-once. A graded notebook's file is renamed into place, then
its grades and the ledger's row are committed together. Killed before the commit, the ledger still
says that the notebook is to be graded, and grading it again writes the same file and the same
grades. Killed after it, the ledger's fingerprint and digests match, and it is skipped.
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from course_lib.grading.result import MANUAL, MISSING, UNANSWERED, Remark, Result
from course_lib.grading.run import prepare
from course_lib.grading.run.course import Course, CourseError
from course_lib.grading.run.fingerprint import (
    digest_of_dependencies,
    fingerprint,
    judge_version,
    settings_digest,
)
from course_lib.grading.run.gradebook import GradebookWriter
from course_lib.grading.run.graded_files import GradedFolder, sweep_drafts
from course_lib.grading.run.handed_in import look_into
from course_lib.grading.run.ledger import Entry, SourceState
from course_lib.grading.run.one_run import only_run
from course_lib.grading.run.pool import PoolError, WrongVersion, in_window, open_pool
from course_lib.grading.run.progress import Counts, Progress
from course_lib.grading.run.second_try import grade_surely
from course_lib.grading.run.seeds import hidden_environment, read_secret, submission_seed
from course_lib.grading.run.sources import Sources, as_graded, read_sources
from course_lib.grading.settings import Settings
from course_lib.grading.template import Template

GradeJob = Callable[[Any], Result]
FAILURES_IN_A_ROW = 5


@dataclass(frozen=True)
class Choice:
    """What a run is asked for.

    students: their ids, () for all; notebook: a name or pattern; jobs: 0 for the course's setting;
    force: grade what has not changed, too.
    """

    students: tuple[str, ...] = ()
    notebook: str = "*"
    jobs: int = 0
    scheduler: str = ""
    force: bool = False
    unsafe: bool = False


@dataclass
class Summary:
    """What a run came to.

    notebooks: counts by notebook; points: (sum of automatic scores, of what they could be) of those
    graded now or skipped; looks, of both too, and failures: (student, notebook, why), sorted;
    notes: on the instructor's notebooks.
    """

    counts: Counts = field(default_factory=Counts)
    notebooks: dict[str, Counts] = field(default_factory=dict)
    points: dict[str, tuple[float, float]] = field(default_factory=dict)
    looks: list[tuple[str, str, str]] = field(default_factory=list)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    walls: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Item:
    """One notebook of one student, on its way to the gradebook."""

    student: str
    notebook: str
    fingerprint: str
    timestamp: datetime | None
    missing: bool


@dataclass(frozen=True)
class Plan:
    """What all jobs of an assignment share.

    tests: by notebook, the digest of all but the submission; modes: how its tests are run.
    """

    course: Course
    assignment: str
    sources: Sources
    settings: Settings
    secret: bytes
    tests: dict[str, str]
    modes: Mapping[str, prepare.Modes] = field(default_factory=dict)

    @property
    def templates(self) -> dict[str, Template]:
        """The instructor's notebooks, taken apart, by name."""
        return {name: source.template for name, source in self.sources.notebooks.items()}

    def job(
        self,
        notebook: str,
        content: bytes | None,
        student: str = "",
        remarks: tuple[Remark, ...] = (),
    ) -> Any:
        """Make the job that judges one file."""
        from course_lib.grading.job import Job

        return Job(
            source=self.sources.notebooks[notebook].content,
            submission=content,
            seed=self.seed(student, notebook),
            settings=self.settings,
            delimiters=self.sources.delimiters,
            data=self.sources.data,
            remarks=remarks,
            modes=self.modes.get(notebook, ()),
        )

    def seed(self, student: str, notebook: str) -> int:
        """Return the seed of one student's notebook; of the instructor's own for student ""."""
        return submission_seed(self.secret, student, self.assignment, notebook)

    def fingerprint(
        self, student: str, notebook: str, content: bytes | None, remarks: tuple[Remark, ...]
    ) -> str:
        """Return the digest of what a grade follows from."""
        texts = [remark.text for remark in remarks]
        return fingerprint(self.tests[notebook], content, self.seed(student, notebook), texts)


def make_plan(course: Course, assignment: str, *, unsafe: bool = False) -> Plan:
    """Release the assignment if need be, and settle what all its jobs share.

    Raises:
        CourseError: the sources, the settings or the gradebook keep it from being graded.
    """
    sources = read_sources(course, assignment)
    prepare.release(course, assignment, sources)
    sources = as_graded(course, assignment, sources)
    try:
        secret = read_secret(course.root)
        settings = course.judge.settings(**hidden_environment(secret, assignment))
        instruments = tuple(str(course.root / name) for name in settings.instruments)
        unsafe = settings.unsafe or unsafe
        # Workers elsewhere may have no such files: their contents go along.
        carried = tuple((path, Path(path).read_text(encoding="utf-8")) for path in instruments)
        settings = replace(settings, instruments=instruments, carried=carried, unsafe=unsafe)
        digests = [
            judge_version(),
            settings_digest(settings),
            digest_of_dependencies(course.root, course.judge.depends_on),
            *(f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in sources.data),
        ]
    except (OSError, ValueError) as error:
        raise CourseError(str(error)) from error
    tests = {
        name: hashlib.sha256(json.dumps([source.template.digest, *digests]).encode()).hexdigest()
        for name, source in sources.notebooks.items()
    }
    return Plan(course, assignment, sources, settings, secret, tests)


def autograde(
    course: Course,
    assignment: str,
    choice: Choice | None = None,
    *,
    grade: GradeJob | None = None,
    stream: TextIO | None = None,
) -> Summary:
    """Grade an assignment's submissions and record them in the gradebook and in autograded/.

    grade: what a worker runs, by default the judge; stream: where progress goes, by default
    standard error.

    Raises:
        CourseError: the course keeps it from starting.
        PoolError: the workers cannot be reached.
    """
    choice = choice or Choice()
    if grade is None:
        from course_lib.grading.grade import grade_job

        grade = grade_job
    with only_run(course.root):
        plan = make_plan(course, assignment, unsafe=choice.unsafe)
        jobs = choice.jobs or course.judge.jobs
        scheduler = choice.scheduler or course.judge.scheduler
        with (
            open_pool(jobs, scheduler) as (executor, width),
            GradebookWriter(course, assignment) as writer,
        ):
            plan, notes = settle_tests(plan, writer, executor, grade, width)
            batch = _Batch(plan, writer, choice, stream)
            summary = batch.run(executor, partial(grade_surely, grade), width)
            summary.notes = notes
            return summary


def settle_tests(
    plan: Plan,
    writer: GradebookWriter,
    executor: Executor,
    grade: GradeJob | None,
    width: int,
) -> tuple[Plan, list[str]]:
    """Try the instructor's own notebooks, once for each version of the tests.

    Returns the plan with how the tests are to be run, and notes for the instructor.

    Raises:
        CourseError: the instructor's own answers do not earn full marks.
    """
    state = writer.source_state()
    now = hashlib.sha256(json.dumps(plan.tests, sort_keys=True).encode()).hexdigest()
    if state.tried == now:
        return replace(plan, modes=state.modes), []
    sources = plan.sources
    tries = (
        (name, (s.content, plan.settings, sources.delimiters, sources.data, plan.seed("", name)))
        for name, s in sources.notebooks.items()
    )
    outcomes = []
    for name, outcome in in_window(executor, partial(prepare.calibrated, grade), tries, width):
        if isinstance(outcome, BaseException):
            _stop_if_hopeless(outcome)
        outcomes.append((name, outcome))
    modes, notes = prepare.settled(sorted(outcomes, key=lambda pair: pair[0]))
    writer.keep_source_state(SourceState(state.released, now, modes))
    return replace(plan, modes=modes), notes


def _stop_if_hopeless(error: BaseException) -> None:
    """Raise what no other job can do anything about."""
    if isinstance(error, PoolError | WrongVersion):
        raise PoolError(str(error)) from error
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error


class _Batch:
    """One run over the submissions."""

    def __init__(
        self, plan: Plan, writer: GradebookWriter, choice: Choice, stream: TextIO | None
    ) -> None:
        self._plan, self._writer, self._choice = plan, writer, choice
        self._students = _chosen_students(plan, choice.students)
        self._names = _chosen_notebooks(plan, choice.notebook)
        autograde = plan.course.autograde
        kept_out = set(autograde.exclude_overwriting.get(plan.assignment, ()))
        self._ours = {name: data for name, data in plan.sources.data if name not in kept_out}
        self._permissions = autograde.permissions
        self._known: dict[tuple[str, str], Entry] = {} if choice.force else writer.entries()
        self._timestamps = writer.timestamps()
        self.summary = Summary(notebooks={name: Counts() for name in self._names})
        self._progress = Progress(
            len(self._students) * len(self._names), self.summary.counts, stream
        )
        self._stop = threading.Event()
        self._failures_in_a_row = 0
        self._skipped: set[tuple[str, str]] = set()

    def run(self, executor: Executor, grade: GradeJob, width: int) -> Summary:
        """Grade what is to be graded."""
        start = time.monotonic()
        sweep_drafts(self._folder(student).folder for student in self._students)
        with self._progress, _stopping(self._stop, self._progress.say):
            answers = in_window(
                executor, grade, self._jobs(), 2 * width,
                stopped=self._stop.is_set, idle=self._progress.show,
            )  # fmt: skip
            for item, answer in answers:
                self._settle(item, answer)
        self._add_skipped()
        self.summary.looks.sort()
        self.summary.failures.sort()
        self.summary.interrupted = self._stop.is_set()
        self.summary.seconds = time.monotonic() - start
        return self.summary

    def _folder(self, student: str) -> GradedFolder:
        course = self._plan.course
        place = course.folder("autograded", self._plan.assignment, student)
        return GradedFolder(place, self._permissions, course.coursedir.groupshared)

    def _jobs(self) -> Iterator[tuple[Item, Any]]:
        """Read the submissions one by one and yield what must be graded."""
        for student in self._students:
            yield from self._jobs_of(student)

    def _jobs_of(self, student: str) -> Iterator[tuple[Item, Any]]:
        plan = self._plan
        place = plan.course.folder("submitted", plan.assignment, student)
        handed_in = look_into(plan.course, place, plan.templates)
        graded = self._folder(student)
        graded.put_beside(place, handed_in.others, self._ours, plan.templates)
        skipped = False
        for name, file in handed_in.notebooks.items():
            if name not in self._names:
                continue
            content, remarks = file.read()
            if name == next(iter(plan.templates)):
                remarks = (*remarks, *handed_in.remarks)
            print_ = plan.fingerprint(student, name, content, remarks)
            entry = self._known.get((student, name))
            if entry and (entry.fingerprint, entry.written) == (print_, graded.digest(name)):
                skipped = True
                self._skipped.add((student, name))
                self._count(name, skipped=1, needs_look=int(entry.needs_look))
                self._progress.show()
                continue
            # A file that cannot be read is graded as an empty one: there is something to look at.
            missing = file.path is None
            item = Item(student, name, print_, handed_in.timestamp, missing)
            yield item, plan.job(name, content, student, remarks)
        if skipped:
            self._refresh(student, handed_in.timestamp)

    def _refresh(self, student: str, timestamp: datetime | None) -> None:
        """Follow a changed timestamp, due date or extension where nothing was graded."""
        changed = timestamp is not None and self._timestamps.get(student) != timestamp
        if changed or self._writer.has_due_date:
            self._writer.refresh(student, timestamp)

    def _settle(self, item: Item, answer: Result | BaseException) -> None:
        if isinstance(answer, BaseException):
            _stop_if_hopeless(answer)
            self._fail(item, answer)
            return
        try:
            self._record(item, answer)
        except Exception as error:
            self._fail(item, error)
            return
        self._failures_in_a_row = 0
        self._count(
            item.notebook,
            graded=1,
            needs_look=int(answer.needs_look),
            refused=int(not item.missing and _refused(answer)),
        )
        if answer.wall:
            self.summary.walls.add(answer.wall)
        self._add(item.student, item.notebook, answer)

    def _add(self, student: str, notebook: str, result: Result) -> None:
        """Add to the summary what is told of each notebook."""
        if result.needs_look:
            why = " ".join(remark.text for remark in result.remarks if remark.needs_look)
            self.summary.looks.append((student, notebook, why))
        score, most = self.summary.points.get(notebook, (0.0, 0.0))
        most += sum(cell.max_score for cell in result.cells if cell.cell_type == "code")
        self.summary.points[notebook] = (score + result.score, most)

    def _add_skipped(self) -> None:
        """Add what the ledger has on those that did not change."""
        if self._skipped:
            for student, notebook, result in self._writer.results():
                if (student, notebook) in self._skipped:
                    self._add(student, notebook, result)

    def _record(self, item: Item, result: Result) -> None:
        """Write the file, then the grades with the ledger's row: in this order, see above."""
        graded = self._folder(item.student)
        if item.missing:
            graded.remove_notebook(item.notebook)
            written = ""
        else:
            written = graded.write_notebook(item.notebook, result.notebook)
        self._writer.record(
            item.student,
            item.notebook,
            result,
            missing=item.missing,
            timestamp=item.timestamp,
            fingerprint=item.fingerprint,
            written=written,
        )

    def _fail(self, item: Item, error: BaseException) -> None:
        self._count(item.notebook, failed=1)
        why = f"{type(error).__name__}: {error}"
        self.summary.failures.append((item.student, item.notebook, why))
        self._progress.say(f"{item.student}, {item.notebook}: not graded: {why}")
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= FAILURES_IN_A_ROW:
            raise CourseError(
                f"{FAILURES_IN_A_ROW} notebooks in a row could not be graded; the last: {why}"
            )

    def _count(self, notebook: str, **more: int) -> None:
        for counts in (self.summary.counts, self.summary.notebooks[notebook]):
            for name, number in more.items():
                setattr(counts, name, getattr(counts, name) + number)


def _refused(result: Result) -> bool:
    """Return whether nothing could be read: no answer was found where some must be."""
    found = {cell.status for cell in result.cells}
    return result.needs_look and MISSING in found and found <= {MISSING, UNANSWERED, MANUAL}


def _chosen_students(plan: Plan, wanted: tuple[str, ...]) -> list[str]:
    there = plan.course.students(plan.assignment)
    unknown = sorted(set(wanted) - set(there))
    where = plan.course.folder("submitted", plan.assignment, "STUDENT")
    if unknown:
        raise CourseError(
            f"--student names {', '.join(unknown)}, who handed in nothing: there is no folder "
            f"{Path(str(where).replace('STUDENT', unknown[0]))}"
        )
    if not there:
        raise CourseError(f"no submissions: expected {where}")
    return [student for student in there if student in wanted] if wanted else there


def _chosen_notebooks(plan: Plan, wanted: str) -> list[str]:
    names = list(plan.sources.notebooks)
    chosen = fnmatch.filter(names, wanted)
    if not chosen:
        raise CourseError(
            f"--notebook {wanted} is none of the assignment's notebooks: {', '.join(names)}"
        )
    return chosen


@contextlib.contextmanager
def _stopping(stop: threading.Event, say: Callable[[str], None]) -> Iterator[None]:
    """Let the first Ctrl-C (or SIGTERM) set `stop`, and the second raise KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("Stopping: what is being graded is still recorded; press Ctrl-C again to drop it.")

    kept = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
