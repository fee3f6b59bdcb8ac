"""Notebooks between their runs: no hidden test of the batch runs before all had their first run.

So nothing that a student is shown comes from a run beside which anybody's hidden inputs were about.
Rounds follow one another: the first runs; those again that took long, as long as there is time to
spare; the second runs, the quick ones first; and those again that took long (see `pace`). What
waits lies on disk, so that memory does not grow with the class.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from course_lib.grading.job import JUDGE, SHOW, Job
from course_lib.grading.judge.shown import Shown
from course_lib.grading.own_folder import OwnFolder
from course_lib.grading.result import Remark, Result
from course_lib.grading.run.pace import SMALL_CLASS, Pace


@dataclass(frozen=True)
class Item:
    """One notebook of one student, on its way to the gradebook."""

    student: str
    notebook: str
    fingerprint: str
    timestamp: datetime | None
    missing: bool


@dataclass
class _Entry:
    """spent: seconds that all its runs took so far; first: that its first run took."""

    item: Item
    part: str = SHOW
    slice: float = 0.0
    spent: float = 0.0
    first: float = 0.0


NOT_SHOWN = Shown(broken_off=True).to_text()
MakeJob = Callable[[Item, bytes | None, tuple[Remark, ...]], Job]


class Waiting:
    """The notebooks of a run on their way through its rounds; for a `with` statement.

    make_job: makes a notebook's job anew; own_seconds: says how long the instructor's own answers
    in a notebook take, or None for classes so small that nobody waits long.
    """

    def __init__(self, make_job: MakeJob, own_seconds: Callable[[str], float | None]) -> None:
        self._make_job, self._own_seconds = make_job, own_seconds
        self._folder = OwnFolder()
        self._entries: dict[int, _Entry] = {}
        self._paces: dict[tuple[str, str], Pace | None] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)  # by student
        self._slow: list[int] = []  # of this round
        self._ready: dict[int, None] = {}  # for the second run
        self._begun = 0

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.remove()

    @property
    def half_done(self) -> int:
        """How many notebooks had their first run and wait for the second."""
        return len(self._ready)

    def rounds(self, jobs: Iterable[tuple[Item, Job]]) -> Iterator[Iterator[tuple[int, Job]]]:
        """Yield the rounds; each is to be run to its end, and told to `take`, before the next."""
        yield self._first_runs(jobs)
        times = 0
        while self._slow:
            slow, self._slow, times = self._slow, [], times + 1
            yield self._first_runs_again(slow, times)
        yield self._second_runs(sorted(self._ready, key=self._slowness), in_slices=True)
        slow, self._slow = self._slow, []
        yield self._second_runs(slow, in_slices=False)

    def take(self, number: int, answer: Result | BaseException) -> tuple[Item, bool]:
        """Note what a run brought; return whose it was, and whether that is the notebook's end."""
        entry = self._entries[number]
        if not isinstance(answer, Result):
            return self._end(number)
        pace = self._pace(entry)
        if answer.broken_off:
            self._spend(entry, entry.slice)
            if pace is not None:
                pace.broken_off.append(entry.slice)
            self._slow.append(number)
            return entry.item, False
        seconds = answer.wall_seconds - (entry.first if entry.part == JUDGE else 0.0)
        self._spend(entry, seconds)
        if pace is not None:
            pace.finished.append(seconds)
        if entry.part == JUDGE or not answer.shown:
            return self._end(number)
        entry.first = seconds
        self._let_wait(number, answer.shown)
        return entry.item, False

    def _first_runs(self, jobs: Iterable[tuple[Item, Job]]) -> Iterator[tuple[int, Job]]:
        for number, (item, job) in enumerate(jobs):
            handed_in = pickle.dumps((job.submission, job.remarks))
            self._file(number, "submission").write_bytes(handed_in)
            entry = self._entries[number] = _Entry(item)
            self._begun += 1
            yield number, self._in_slice(entry, job)

    def _first_runs_again(self, slow: list[int], times: int) -> Iterator[tuple[int, Job]]:
        for number in slow:
            entry = self._entries[number]
            pace = self._pace(entry)
            few = self._begun < SMALL_CLASS
            entry.slice = pace.again(times) if pace is not None and not few else 0.0
            if entry.slice or few:
                job = replace(self._job(number), part=SHOW, slice=entry.slice)
                yield number, self._within_limits(entry, job)
            else:
                self._let_wait(number, NOT_SHOWN)

    def _second_runs(self, numbers: list[int], *, in_slices: bool) -> Iterator[tuple[int, Job]]:
        for number in numbers:
            entry = self._entries[number]
            entry.part, entry.slice = JUDGE, 0.0
            shown = self._file(number, "shown").read_text(encoding="utf-8")
            job = replace(self._job(number), part=JUDGE, shown=shown)
            job = self._in_slice(entry, job) if in_slices else self._within_limits(entry, job)
            yield number, job

    def _slowness(self, number: int) -> tuple[bool, float]:
        entry = self._entries[number]
        return entry.spent > entry.first, entry.spent  # those that were broken off come last

    def _let_wait(self, number: int, shown: str) -> None:
        self._file(number, "shown").write_text(shown, encoding="utf-8")
        self._ready[number] = None

    def _end(self, number: int) -> tuple[Item, bool]:
        for what in ("submission", "shown"):
            self._file(number, what).unlink(missing_ok=True)
        self._ready.pop(number, None)
        return self._entries.pop(number).item, True

    def _pace(self, entry: _Entry) -> Pace | None:
        name = entry.item.notebook
        if (name, SHOW) not in self._paces:
            own = self._own_seconds(name)
            paces = (None, None) if own is None else (Pace(own), Pace(own))
            self._paces[name, SHOW], self._paces[name, JUDGE] = paces
        return self._paces[name, entry.part]

    def _in_slice(self, entry: _Entry, job: Job) -> Job:
        pace = self._pace(entry)
        entry.slice = pace.slice if pace is not None else 0.0
        return self._within_limits(entry, replace(job, part=entry.part, slice=entry.slice))

    def _within_limits(self, entry: _Entry, job: Job) -> Job:
        limits = job.settings.limits
        left = limits.student_seconds - self._seconds[entry.item.student]
        return replace(job, spent=max(entry.spent, limits.judge_seconds - left))

    def _spend(self, entry: _Entry, seconds: float) -> None:
        entry.spent += seconds
        self._seconds[entry.item.student] += seconds

    def _job(self, number: int) -> Job:
        content, remarks = pickle.loads(self._file(number, "submission").read_bytes())
        return self._make_job(self._entries[number].item, content, remarks)

    def _file(self, number: int, what: str) -> Path:
        return self._folder.path / f"{number}.{what}"
