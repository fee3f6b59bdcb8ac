"""What is taken from a submission: texts, and what was odd about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.grading.result import Remark

BY_GRADE_ID, BY_NAME, BY_POSITION, BY_TEXT = "grade id", "name", "position", "text"


@dataclass(frozen=True)
class Answer:
    """The text that a student wrote into one cell of the template.

    cell_type: the template's; a text found in a cell of another type is remarked on.
    found_by: "grade id", "name" (it binds the names that the instructor's solution binds),
        "position" (between recognised neighbours, or by the cell's own id) or "text" (it is what
        was handed out).
    changed: whether it differs from what was handed out, trailing blanks aside.
    elsewhere: whether it is unchanged, but one of the student's own cells binds its names. That
        cell is among `Submission.extra`, placed so that it runs after this one.
    """

    source: str
    cell_type: str
    found_by: str
    changed: bool
    elsewhere: bool = False

    @property
    def given(self) -> bool:
        """Whether the student answered, here or elsewhere."""
        return self.changed or self.elsewhere


@dataclass(frozen=True)
class ExtraCell:
    """A cell of the student's own, or a setup cell that the student edited.

    Code runs on the student's side; text ("markdown", "raw") is there to be shown.
    after: index of the template cell after which it stands, −1 before all.
    """

    source: str
    after: int
    cell_type: str = "code"


@dataclass(frozen=True)
class Submission:
    """What is left of a submitted notebook once everything but the student's texts is dropped.

    answers: by grade id; an answer that could not be found is not in it, and remarked on.
    extra: in the order of the notebook.
    legible: whether anything of the assignment was recognised; if not, there are no answers.
    """

    answers: Mapping[str, Answer]
    extra: tuple[ExtraCell, ...] = ()
    remarks: tuple[Remark, ...] = ()
    legible: bool = True
