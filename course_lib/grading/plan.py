"""In which order the cells of a submission run, and on which side of the wall.

The instructor's notebook sets the order. A student's own additional cells run where they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course_lib.grading.submission import Submission
from course_lib.grading.template import TEST, Template, TemplateCell

EXTRA = "extra"


@dataclass(frozen=True)
class Step:
    """One cell of the graded notebook.

    label: what tracebacks call it; source: the text that runs on the student's side, or is shown;
    cell: the instructor's cell, None for one of the student's own.
    """

    kind: str
    label: str
    cell_type: str
    source: str
    cell: TemplateCell | None = None

    @property
    def runs_far(self) -> bool:
        """Whether it runs on the student's side."""
        return self.cell_type == "code" and self.kind != TEST


def steps(template: Template, submission: Submission) -> Iterator[Step]:
    """Yield the cells of the graded notebook in order."""
    yield from _extras(submission, -1)
    for cell in template.cells:
        source = cell.public
        if cell.answered:
            answer = submission.answers.get(cell.grade_id)
            source = answer.source if answer else cell.public
        elif cell.kind == TEST:
            source = cell.source
        yield Step(cell.kind, _label(cell), cell.cell_type, source, cell)
        yield from _extras(submission, cell.index)


def _label(cell: TemplateCell) -> str:
    side = "test" if cell.kind == TEST else "cell"
    return f"{side} {cell.grade_id or cell.index + 1}"


def _extras(submission: Submission, after: int) -> Iterator[Step]:
    for number, extra in enumerate(submission.extra):
        if extra.after == after:
            label = f"cell of your own {number + 1}"
            yield Step(EXTRA, label, extra.cell_type, extra.source)


def sources(plan: list[Step]) -> Mapping[str, list[str]]:
    """Return the lines of every cell that runs on the student's side, by its label.

    A student's process may name any of them as the place of an error, so no test is among them.
    """
    return {step.label: step.source.split("\n") for step in plan if step.runs_far}
