"""Which cell of the template each submitted cell is, if any."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.grading.submission.bindings import bindings
from course_lib.grading.submission.cells import SubmittedCell, key, parses
from course_lib.grading.submission.landmarks import Landmarks, lines_of
from course_lib.grading.template import SETUP

SAME, EDITED, PART = "same", "edited", "part"
ENOUGH = 0.6  # of the lines that two texts must share to be versions of one
_WORD = re.compile(r"\w+")


@dataclass
class Seen:
    """A submitted cell and what it was recognised as.

    index: of the template cell, −1 for none. by: "grade id", "cell id", "text", "lines", "name",
    "position" or "". state: `SAME` text as handed out, `EDITED`, or a
    `PART` of the text handed out. used: whether its text went
    into an answer, or is to be dropped. in_order: whether it stands between its right neighbours.
    """

    cell: SubmittedCell
    position: int
    names: frozenset[str]
    index: int = -1
    by: str = ""
    state: str = EDITED
    used: bool = False
    in_order: bool = False


def recognise(cells: Sequence[SubmittedCell], marks: Landmarks) -> list[Seen]:
    """Say of each cell what it is, by its ids and its text; names and positions come later."""
    seen = [_by_id(position, cell, marks) for position, cell in enumerate(cells)]
    taken = {one.index for one in seen}
    last = -1
    for one in seen:
        if one.index < 0:
            _by_text(one, marks, taken, last)
            taken.add(one.index)
        last = one.index if one.index >= 0 else last
    put_in_order(seen)
    return seen


def _by_id(position: int, cell: SubmittedCell, marks: Landmarks) -> Seen:
    names = bindings(cell.source)
    if names and cell.cell_type != "code" and not parses(cell.source):
        names = frozenset()  # prose
    index = marks.by_grade_id.get(cell.grade_id, -1)
    if index >= 0:
        same = index in marks.by_text.get(key(cell.source), ())
        return Seen(cell, position, names, index, "grade id", SAME if same else EDITED)
    return Seen(cell, position, names)


def _by_text(one: Seen, marks: Landmarks, taken: set[int], last: int) -> None:
    text = key(one.cell.source)
    same = marks.by_text.get(text, ())
    if same:
        one.index = _nearest(same, taken, last)
        one.by, one.state = "text", SAME
        return
    index = marks.by_cell_id.get(one.cell.cell_id, -1)
    if index >= 0 and index not in taken and _may_be(one, index, marks):
        one.index, one.by = index, "cell id"
        return
    if marks.owned(one.names):
        return  # whatever it shares with a test, it holds an answer
    lines = set(lines_of(text))
    code = one.cell.cell_type == "code"
    shared = Counter(
        index
        for line in lines
        for index in marks.by_line.get(line, ())
        if (marks.cells[index].cell_type == "code") == code
    )
    parts = [index for index, count in shared.items() if count == len(lines)]
    if code:
        # Imports may be the student's own, whatever tests import too; other lines of the setup
        # may stand here to be run once more.
        imports = all(line.startswith(("import ", "from ")) for line in lines)
        setups = [index for index in parts if marks.cells[index].kind == SETUP]
        locked = [index for index in parts if index not in setups]
        parts = setups if imports else locked or [i for i in setups if i not in taken]
    if parts:
        one.index, one.by, one.state = parts[0], "lines", PART
        return
    enough = [
        index
        for index, count in shared.items()
        if count >= ENOUGH * max(len(lines), marks.sizes[index])
    ]
    if enough:
        most = max(shared[index] for index in enough)
        best = tuple(sorted(index for index in enough if shared[index] == most))
        one.index, one.by = _nearest(best, taken, last), "lines"


def _may_be(one: Seen, index: int, marks: Landmarks) -> bool:
    """Whether a cell may be the one whose own id it bears: an answer, or a version of the text."""
    if marks.cells[index].answered:
        return True
    if marks.owned(one.names):
        return False
    given = set(_WORD.findall(marks.cells[index].public))
    return 2 * len(given & set(_WORD.findall(one.cell.source))) >= len(given)


def _nearest(indices: tuple[int, ...], taken: set[int], last: int) -> int:
    free = [index for index in indices if index not in taken] or indices
    return next((index for index in free if index > last), free[0])


def put_in_order(seen: Sequence[Seen]) -> None:
    """Mark the longest run of recognised cells that stand in the template's order.

    Of several cells recognised as one, an edited one is preferred to a copy of the handed-out
    text only by standing later; the run itself never counts a template cell twice.
    """
    ends: list[int] = []  # ends[k]: the smallest index that ends a run of length k + 1
    holders: list[Seen] = []
    before: dict[int, Seen | None] = {}
    for one in seen:
        one.in_order = False
        if one.index < 0:
            continue
        length = bisect_left(ends, one.index)
        before[one.position] = holders[length - 1] if length else None
        if length == len(ends):
            ends.append(one.index)
            holders.append(one)
        elif one.index < ends[length]:
            ends[length], holders[length] = one.index, one
    last: Seen | None = holders[-1] if holders else None
    while last is not None:
        last.in_order = True
        last = before[last.position]
