"""Grade all submissions of an assignment: read, judge in parallel, record one by one, resume.

The order of writes makes a run exactly-once. A graded notebook's file is renamed into place, then
its grades and the ledger's row are committed together. Killed before the commit, the ledger still
says that the notebook is to be graded, and grading it again writes the same file and the same
grades. Killed after it, the ledger's fingerprint and digests match, and it is skipped. A notebook
with hidden tests runs twice, see `waiting`; the first run changes nothing that lasts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from datetime import datetime
from functools import partial
from typing import TextIO

from course_lib.grading.job import Job
from course_lib.grading.printable import MARKUP
from course_lib.grading.result import MANUAL, MISSING, UNANSWERED, Remark, Result
from course_lib.grading.run.course import Course, CourseError
from course_lib.grading.run.gradebook import GradebookWriter
from course_lib.grading.run.graded_files import GradedFolder, sweep_drafts
from course_lib.grading.run.handed_in import HandedIn, look_into
from course_lib.grading.run.ledger import Entry
from course_lib.grading.run.one_run import only_run
from course_lib.grading.run.pace import SMALL_CLASS
from course_lib.grading.run.plan import (
    GradeJob,
    Plan,
    chosen_notebooks,
    chosen_students,
    make_plan,
    settle_tests,
    stop_if_hopeless,
)
from course_lib.grading.run.pool import in_window, open_pool
from course_lib.grading.run.progress import Counts, Progress
from course_lib.grading.run.second_try import grade_surely
from course_lib.grading.run.stopping import stopping
from course_lib.grading.run.summary import Choice, Summary
from course_lib.grading.run.waiting import Item, Waiting
from course_lib.grading.submission.folder_files import files_below

# This many failures with no success between them stop a run: it is the machine's fault then. They
# must be of several students, for no one of them is to stop the others.
FAILURES_IN_A_ROW = 5
STUDENTS_IN_A_ROW = 3
USUAL_BYTES = 4 * 2**20  # what a student may hand in and still be graded in the usual order
MOST_BYTES = 64 * 2**20  # of submissions that are in memory and wait for a worker
ACTING_NAME = (
    "nbgrader's pages would take the folder's name for markup, which could act there: rename it so "
    'that it has none of < > & " \\ in it'
)


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


class _Batch:
    """One run over the submissions."""

    def __init__(
        self, plan: Plan, writer: GradebookWriter, choice: Choice, stream: TextIO | None
    ) -> None:
        self._plan, self._writer = plan, writer
        self._students = chosen_students(plan, choice.students)
        self._names = chosen_notebooks(plan, choice.notebook)
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
        self._start = time.monotonic()
        self._failures_in_a_row: list[str] = []  # whose they are
        self._skipped: set[tuple[str, str]] = set()

    def run(self, executor: Executor, grade: GradeJob, width: int) -> Summary:
        """Grade what is to be graded."""
        sweep_drafts(self._folder(student).folder for student in self._students)
        grades = partial(
            in_window, executor, grade, width=2 * width, stopped=self._stopped,
            idle=self._progress.show, weight=_bytes_of, most=MOST_BYTES,
        )  # fmt: skip
        large = len(self._students) * len(self._names) >= SMALL_CLASS
        own_seconds = partial(self._own_seconds, executor, grade) if large else lambda _: None
        waiting = Waiting(self._job_of, own_seconds)
        with self._progress, stopping(self._stop, self._progress.say), waiting:
            for jobs in waiting.rounds(self._jobs(width)):
                for number, answer in grades(jobs=jobs):
                    item, is_end = waiting.take(number, answer)
                    self.summary.counts.waiting = waiting.half_done
                    if is_end:
                        self._settle(item, answer)
        self._add_skipped()
        self.summary.looks.sort()
        self.summary.failures.sort()
        self.summary.interrupted = self._stop.is_set()
        self.summary.seconds = time.monotonic() - self._start
        return self.summary

    def _folder(self, student: str) -> GradedFolder:
        course = self._plan.course
        place = course.folder("autograded", self._plan.assignment, student)
        return GradedFolder(place, self._permissions, course.coursedir.groupshared)

    def _stopped(self) -> bool:
        """Say whether to begin no more notebooks, because of a signal or of the time."""
        limit = self._plan.course.judge.run_seconds
        if time.monotonic() - self._start > limit and not self._stop.is_set():
            self._stop.set()
            self._progress.say(
                f"{limit:g} s are over, which a run may take (c.Judge.run_seconds): no more "
                "notebooks are begun; the same command goes on where this run ends"
            )
        return self._stop.is_set()

    def _own_seconds(self, executor: Executor, grade: GradeJob, notebook: str) -> float:
        """Return how long one run of the instructor's own notebook takes."""
        source = self._plan.sources.notebooks[notebook]
        job = self._plan.job(notebook, source.content)
        ((_, own),) = in_window(executor, grade, [(notebook, job)], 1)
        runs = 2 if source.template.has_hidden else 1
        return own.wall_seconds / runs if isinstance(own, Result) else 0.0

    def _jobs(self, width: int) -> Iterator[tuple[Item, Job]]:
        """Look into the submissions, some at a time, and yield what must be graded."""
        plan, templates = self._plan, self._plan.templates

        def look(student: str) -> HandedIn:
            place = plan.course.folder("submitted", plan.assignment, student)
            return look_into(plan.course, place, templates)

        students = []
        for student in sorted(self._students, key=self._size):  # the large ones come last
            if MARKUP.search(student):
                for name in self._names:
                    self._not_graded(student, name, ACTING_NAME)
            else:
                students.append((student, student))
        with open_pool(2 * width) as (threads, ahead):
            looks = in_window(threads, look, students, ahead, stopped=self._stopped)
            for student, seen in looks:
                yield from self._jobs_seen(student, seen)

    def _size(self, student: str) -> int:
        """Return the bytes that a student handed in, or what is usual if they are no more."""
        folder = self._plan.course.folder("submitted", self._plan.assignment, student)
        files, _ = files_below(folder)
        return max(USUAL_BYTES, sum(file.size for file in files))

    def _jobs_seen(
        self, student: str, seen: HandedIn | BaseException
    ) -> Iterator[tuple[Item, Job]]:
        left = list(self._names)
        try:
            if isinstance(seen, BaseException):
                raise seen
            yield from self._jobs_of(student, seen, left)
        except Exception as error:  # one student's files stop no other's
            failure = error
        else:
            return
        for name in left:
            self._fail(student, name, failure)

    def _jobs_of(
        self, student: str, handed_in: HandedIn, left: list[str]
    ) -> Iterator[tuple[Item, Job]]:
        """Yield one student's; take off `left` what is yielded or settled here."""
        plan = self._plan
        graded = self._folder(student)
        graded.put_beside(handed_in.folder, handed_in.others, self._ours, plan.templates)
        unchanged = {}
        for name, file in handed_in.notebooks.items():
            if name not in self._names:
                continue
            content, remarks = file.read()
            if name == next(iter(plan.templates)):
                remarks = (*remarks, *handed_in.remarks)
            print_ = plan.fingerprint(student, name, content, remarks)
            entry = self._known.get((student, name))
            if entry and (entry.fingerprint, entry.written) == (print_, graded.digest(name)):
                unchanged[name] = entry
                continue
            # A file that cannot be read is graded as an empty one: there is something to look at.
            missing = file.path is None
            item = Item(student, name, print_, handed_in.timestamp, missing)
            job = plan.job(name, content, student, remarks)
            left.remove(name)
            yield item, job
        if unchanged:
            self._refresh(student, handed_in.timestamp)
        for name, entry in unchanged.items():
            left.remove(name)
            self._skipped.add((student, name))
            self._count(name, skipped=1, needs_look=int(entry.needs_look))
            self._progress.show()

    def _job_of(self, item: Item, content: bytes | None, remarks: tuple[Remark, ...]) -> Job:
        return self._plan.job(item.notebook, content, item.student, remarks)

    def _refresh(self, student: str, timestamp: datetime | None) -> None:
        """Follow a changed timestamp, due date or extension where nothing was graded."""
        changed = timestamp is not None and self._timestamps.get(student) != timestamp
        if changed or self._writer.has_due_date:
            self._writer.refresh(student, timestamp)

    def _settle(self, item: Item, answer: Result | BaseException) -> None:
        if isinstance(answer, BaseException):
            stop_if_hopeless(answer)
            self._fail(item.student, item.notebook, answer)
            return
        try:
            self._record(item, answer)
        except Exception as error:
            self._fail(item.student, item.notebook, error)
            return
        self._failures_in_a_row.clear()
        self._count(
            item.notebook,
            graded=1,
            needs_look=int(answer.needs_look),
            refused=int(not item.missing and _refused(answer)),
        )
        if answer.wall:
            self.summary.walls.add(answer.wall)
        self.summary.add(item.student, item.notebook, answer)

    def _add_skipped(self) -> None:
        """Add what the ledger has on those that did not change."""
        if self._skipped:
            for student, notebook, result in self._writer.results():
                if (student, notebook) in self._skipped:
                    self.summary.add(student, notebook, result)

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

    def _fail(self, student: str, notebook: str, error: BaseException) -> None:
        why = f"{type(error).__name__}: {error}"
        self._not_graded(student, notebook, why)
        failed = self._failures_in_a_row
        failed.append(student)
        if len(failed) >= FAILURES_IN_A_ROW and len(set(failed)) >= STUDENTS_IN_A_ROW:
            raise CourseError(
                f"{len(failed)} notebooks in a row could not be graded; the last: {why}"
            )

    def _not_graded(self, student: str, notebook: str, why: str) -> None:
        self._count(notebook, failed=1)
        self.summary.failures.append((student, notebook, why))
        self._progress.say(f"{student}, {notebook}: not graded: {why}")

    def _count(self, notebook: str, **more: int) -> None:
        for counts in (self.summary.counts, self.summary.notebooks[notebook]):
            for name, number in more.items():
                setattr(counts, name, getattr(counts, name) + number)


def _bytes_of(job: Job) -> int:
    return len(job.submission or b"")


def _refused(result: Result) -> bool:
    """Return whether nothing could be read: no answer was found where some must be."""
    found = {cell.status for cell in result.cells}
    return result.needs_look and MISSING in found and found <= {MISSING, UNANSWERED, MANUAL}
