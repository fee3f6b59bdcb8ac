"""An answer whose cell was split inside a statement: neither part is Python by itself."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.grading.submission.cells import parses
from course_lib.grading.submission.recognise import SAME, Seen

FURTHEST = 3  # cells to either side


def parts_of_split(seen: Sequence[Seen], one: Seen) -> list[Seen]:
    """Return the cells around an answer that are Python only together, as few as will do.

    [] if it is Python by itself and the next cell begins like one, or if nothing helps.
    """
    following = seen[one.position + 1 : one.position + 2]
    indented = any(part.cell.source[:1] in (" ", "\t") for part in following)
    if one.state == SAME or (parses(one.cell.source) and not indented):
        return []
    first = last = one.position
    while first > max(0, one.position - FURTHEST) and _may_join(seen[first - 1], one):
        first -= 1
    while last + 1 < min(len(seen), one.position + FURTHEST + 1) and _may_join(seen[last + 1], one):
        last += 1
    spans = [
        (start, end)
        for start in range(one.position, first - 1, -1)
        for end in range(one.position, last + 1)
        if start < end
    ]
    for start, end in sorted(spans, key=lambda span: span[1] - span[0]):
        parts = [part for part in seen[start : end + 1] if part.cell.source.strip()]
        if parses("\n".join(part.cell.source for part in parts)):
            return parts
    return []


def _may_join(part: Seen, one: Seen) -> bool:
    return (
        part.index in (-1, one.index)
        and part.cell.cell_type == "code"
        and part.state != SAME
        and not part.used
    )
