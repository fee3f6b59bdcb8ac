"""What a student may read of a cell's source: no hidden test, no solution, no mark scheme."""

from __future__ import annotations

from course_lib.grading.template import Delimiters


def public_source(source: str, delimiters: Delimiters | None = None) -> str:
    """Cut every region between nbgrader's marks; one that is never closed runs to the end.

    The marks are matched without regard to case, and in every kind of cell: a cell that bears
    them by mistake shows less, never more.
    """
    marks = delimiters or Delimiters()
    begins = [m.casefold() for m in (marks.begin_hidden, marks.begin_solution, marks.begin_marks)]
    ends = [m.casefold() for m in (marks.end_hidden, marks.end_solution, marks.end_marks)]
    folded = source.casefold()
    if not any(begin in folded for begin in begins):
        return source
    kept: list[str] = []
    inside: int | None = None
    for line in source.split("\n"):
        text = line.casefold()
        if inside is None:
            inside = next((i for i, begin in enumerate(begins) if begin in text), None)
            if inside is None:
                kept.append(line)
        elif ends[inside] in text:
            inside = None
    return "\n".join(kept).strip("\n")


def hides_something(source: str, delimiters: Delimiters | None = None) -> bool:
    """Whether students were not given the whole of this cell."""
    return public_source(source, delimiters) != source
