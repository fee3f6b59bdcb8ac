"""Before a notebook judges others it judges itself: the instructor's answers must earn full marks.

Functions are called by value, so a test that looks at what an answer did to its arguments, or at
a live object, gives less than under plain nbgrader. `calibrate` finds these tests, settles the
ones that plain data can settle, and says of the others which tag they need.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from course_lib.grading.job import Job
from course_lib.grading.result import CellScore, Result
from course_lib.grading.settings import Settings
from course_lib.grading.template import (
    IN_PLACE_TAG,
    LIVE_TAG,
    TEST,
    Delimiters,
    Template,
    TemplateCell,
    read_template,
)

GradeJob = Callable[[Job], Result]
LIVE_MEANS = (
    f"With the cell tag {LIVE_TAG} it earns full marks. The test then runs beside the student's "
    "code, so its result is that code's word{hidden}"
)
HIDDEN_TOO = ", and that code can read the cell's hidden lines"


@dataclass(frozen=True)
class Calibration:
    """How a notebook's tests are to be run.

    modes: (grade id, tag) for `Job.modes`; notes: what an instructor may like to know; problems:
    why the instructor's own answers do not earn full marks, and what to do, one sentence or more
    a cell.
    """

    modes: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def calibrate(
    source: bytes,
    settings: Settings,
    delimiters: Delimiters,
    data: tuple[tuple[str, bytes], ...] = (),
    seed: int = 0,
    *,
    grade: GradeJob | None = None,
) -> Calibration:
    """Grade the instructor's own notebook, and settle how its tests are run.

    source: the notebook's file; data: name and content of the files beside it; grade: what grades
    a job, by default the judge in this process's own workers.

    Raises:
        JudgeError: nothing can be graded here.
        ValueError: the source is no notebook of format 4.
    """
    if grade is None:
        from course_lib.grading.grade import grade_job

        grade = grade_job
    template = read_template(json.loads(source.decode("utf-8-sig")), delimiters)
    job = Job(source, source, seed, settings, delimiters, data)
    return _Calibrating(template, job, grade).run()


class _Calibrating:
    """The tries for one notebook."""

    def __init__(self, template: Template, job: Job, grade: GradeJob) -> None:
        self.template = template
        self.job = job
        self.grade = grade
        self.tests = {c.grade_id: c for c in template.cells if c.kind == TEST and c.points > 0}
        self.modes: dict[str, str] = {}
        self.notes: list[str] = []

    def run(self) -> Calibration:
        for name in self.tests:
            if name in self.template.looking_back:
                self._note(name, "looks again at what it gave to an answer")
        short = self.short({})
        open_ = [name for name in short if not _tagged(self.tests[name])]
        if open_:
            still = self.short(dict.fromkeys(open_, IN_PLACE_TAG))
            for name in open_:
                if name not in still:
                    self.modes[name] = IN_PLACE_TAG
                    self._note(name, "needs what an answer did to its arguments")
                    del short[name]
        problems = self._problems(short)
        self.notes += self._passed_untouched()
        return Calibration(tuple(sorted(self.modes.items())), tuple(self.notes), problems)

    def short(self, modes: Mapping[str, str]) -> dict[str, CellScore]:
        """Return the tests in which the instructor's own answers do not earn full marks."""
        result = self.grade(replace(self.job, modes=tuple(sorted(modes.items()))))
        return {
            cell.grade_id: cell
            for cell in result.cells
            if cell.grade_id in self.tests and (cell.score or 0.0) < cell.max_score
        }

    def _note(self, name: str, why: str) -> None:
        self.notes.append(
            f"The test {name} {why}, so it runs as if it had the cell tag {IN_PLACE_TAG}: lists, "
            "dicts, sets and arrays are changed in the test as the answer changed its copies."
        )

    def _problems(self, short: Mapping[str, CellScore]) -> tuple[str, ...]:
        open_ = [name for name in short if not _tagged(self.tests[name])]
        live = self.short(self.modes | dict.fromkeys(open_, LIVE_TAG)) if open_ else {}
        found = []
        for name, cell in short.items():
            text = f"The test {name} gives the instructor's own answers {_earned(cell)}."
            if name in open_ and name not in live:
                hidden = HIDDEN_TOO if self.tests[name].hidden_lines else ""
                text += " " + LIVE_MEANS.format(hidden=hidden) + "."
            elif name in open_:
                text += " No cell tag helps: mend the answer or the test."
            found.append(text)
        return tuple(found)

    def _passed_untouched(self) -> Iterable[str]:
        result = self.grade(
            replace(self.job, submission=None, modes=tuple(sorted(self.modes.items())))
        )
        for cell in result.cells:
            if cell.grade_id in self.tests and (cell.score or 0.0) > 0:
                yield (
                    f"The test {cell.grade_id} gives {cell.score:g} of {cell.max_score:g} to the "
                    "notebook as it is handed out, with no answer in it."
                )


def _tagged(cell: TemplateCell) -> bool:
    return LIVE_TAG in cell.tags or IN_PLACE_TAG in cell.tags


def _earned(cell: CellScore) -> str:
    why = cell.reason or f"the cell's last value is {cell.score or 0:g}"
    return f"{cell.score or 0:g} of {cell.max_score:g}: {why.rstrip('.')}"
