"""Notebooks between their two runs: no hidden test of the batch runs before all had their first.

So nothing that a student is shown comes from a run beside which anybody's hidden inputs were about.
What waits lies on disk, so that memory does not grow with the class.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from course_lib.grading.job import JUDGE, SHOW, Job
from course_lib.grading.own_folder import OwnFolder
from course_lib.grading.result import Remark, Result

Item = TypeVar("Item")


MakeJob = Callable[[Item, bytes | None, tuple[Remark, ...]], Job]


class Waiting(Generic[Item]):
    """The notebooks that wait, in the order of their first runs; for a `with` statement."""

    def __init__(self) -> None:
        self._folder = OwnFolder()
        self._items: dict[int, Item] = {}

    def __enter__(self) -> Waiting[Item]:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.remove()

    def first_runs(
        self, jobs: Iterable[tuple[Item, Job]]
    ) -> Iterator[tuple[tuple[Item, int], Job]]:
        """Yield the first run of every job, and keep what a student handed in."""
        for number, (item, job) in enumerate(jobs):
            handed_in = pickle.dumps((job.submission, job.remarks))
            self._file(number, "submission").write_bytes(handed_in)
            yield (item, number), replace(job, part=SHOW)

    def keep(self, key: tuple[Item, int], first: Result) -> None:
        """Note what a first run brought: the notebook waits for its second one."""
        item, number = key
        self._file(number, "shown").write_text(first.shown, encoding="utf-8")
        self._items[number] = item

    def drop(self, key: tuple[Item, int]) -> None:
        """Forget a notebook that needs no second run."""
        self._file(key[1], "submission").unlink(missing_ok=True)

    def second_runs(self, make_job: MakeJob[Item]) -> Iterator[tuple[Item, Job]]:
        """Yield the second run of all that wait."""
        for number, item in self._items.items():
            submission, shown = self._file(number, "submission"), self._file(number, "shown")
            content, remarks = pickle.loads(submission.read_bytes())
            job = make_job(item, content, remarks)
            yield item, replace(job, part=JUDGE, shown=shown.read_text(encoding="utf-8"))
            submission.unlink()
            shown.unlink()

    def _file(self, number: int, what: str) -> Path:
        return self._folder.path / f"{number}.{what}"
