"""From recognised cells to one answer for each place, and the student's own cells."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.grading.submission.answers import (
    BY_GRADE_ID,
    BY_NAME,
    BY_POSITION,
    BY_TEXT,
    Answer,
    ExtraCell,
)
from course_lib.grading.submission.bindings import bindings, blocks
from course_lib.grading.submission.candidates import Candidates, as_code, as_text
from course_lib.grading.submission.cells import key, mixes_indentation, parses
from course_lib.grading.submission.landmarks import Landmarks
from course_lib.grading.submission.recognise import EDITED, SAME, Seen
from course_lib.grading.submission.remarks import Remarks
from course_lib.grading.submission.split_cells import parts_of_split
from course_lib.grading.template import SETUP, TEST, TEXT, TemplateCell

_FOUND_BY = {
    "grade id": BY_GRADE_ID,
    "cell id": BY_POSITION,
    "position": BY_POSITION,
    "name": BY_NAME,
    "text": BY_TEXT,
}


class Choice:
    """Works out the answers; `answers` and `extra` hold the outcome."""

    def __init__(self, seen: Sequence[Seen], marks: Landmarks, remarks: Remarks) -> None:
        self.seen, self.marks, self.remarks = seen, marks, remarks
        self.answers: dict[str, Answer] = {}
        self.placed: list[tuple[int, ExtraCell]] = []  # with the position in the submission
        self.candidates = Candidates(seen, marks, remarks)

    def run(self) -> None:
        """Fill `answers` and `extra`."""
        self.candidates.complete()
        for index in self.candidates.of:
            self._choose(self.marks.cells[index])
        self._look_in_other_cells()
        self._place_the_rest()

    @property
    def extra(self) -> tuple[ExtraCell, ...]:
        """The student's own cells, in the order in which they run."""
        return tuple(cell for _, cell in sorted(self.placed, key=lambda item: item[0]))

    # ------------------------------------------------------------ one of several

    def _choose(self, cell: TemplateCell) -> None:
        candidates = self.candidates.of[cell.index]
        if not candidates:
            return  # perhaps another cell holds it
        changed = [one for one in candidates if one.state != SAME]
        full = [one for one in changed if one.cell.source.strip()] or changed
        own = self.marks.names_of(cell.index)
        binding = [one for one in full if own & one.names] or full
        one = (binding or candidates)[-1]
        source = self._joined(cell, one) or self._text(cell, one)
        one.used = True
        others = [other for other in full if not other.used]
        for other in others:
            self._place_other(cell, one, other)
        name = self._name(cell.index)
        rivals = [other for other in others if not own or own & other.names]
        if len({key(other.cell.source) for other in (*rivals, one)}) > 1:
            self.remarks.add("several_answers", name)
        elif others and not rivals:
            self.remarks.add("answer_in_several_cells", name)
        elif len(candidates) > 1 and any(other.by == "grade id" for other in candidates[1:]):
            self.remarks.add("duplicated_cell", name)
        if cell.cell_type == "code" and mixes_indentation(source):
            self.remarks.add("mixed_indentation", name)
        if one.by == "cell id" and one.state != SAME:
            self.remarks.add("found_by_cell_id", name)
        self.answers[cell.grade_id] = Answer(
            source, cell.cell_type, _FOUND_BY[one.by], key(source) != key(cell.public)
        )

    def _text(self, cell: TemplateCell, one: Seen) -> str:
        source, given = one.cell.source, one.cell.cell_type
        if one.by == "position" and cell.cell_type != "code":
            source = self.marks.surplus(source) or source
        if cell.cell_type == given or one.state == SAME:
            return source
        if cell.cell_type != "code":
            self.remarks.add("changed_cell_type", self._name(cell.index))
            return as_text(source)
        source = as_code(source)
        readable = parses(source)
        self.remarks.add(
            "changed_cell_type" if readable else "unreadable_code", self._name(cell.index)
        )
        return source

    def _joined(self, cell: TemplateCell, one: Seen) -> str:
        """Return the text of a cell that was split inside a statement, put together; or ""."""
        parts = parts_of_split(self.seen, one) if cell.cell_type == "code" else []
        for part in parts:
            part.used = True
        if parts:
            self.remarks.add("split_answer", self._name(cell.index))
        return "\n".join(part.cell.source for part in parts)

    def _place_other(self, cell: TemplateCell, one: Seen, other: Seen) -> None:
        """Run another version of an answer too, unless the chosen one replaces all of it."""
        other.used = True
        if other.cell.cell_type != "code" or key(other.cell.source) == key(one.cell.source):
            return
        if other.names and other.names <= one.names:
            return
        after = cell.index - 1 if other.position < one.position else cell.index
        self._place(other, after)

    # ------------------------------------------------------------ what is left

    def _look_in_other_cells(self) -> None:
        """Find the names of answers that nobody wrote in their own place."""
        for index in self.candidates.of:
            cell, own = self.marks.cells[index], self.marks.names_of(index)
            answer = self.answers.get(cell.grade_id)
            if answer is None or (own and not answer.changed):
                holder = self._holder(index, own)
                if holder is not None:
                    self._take_from(holder, cell, own)
                elif answer is None:
                    self.remarks.add("missing_answer", self._name(index))

    def _holder(self, index: int, own: frozenset[str]) -> Seen | None:
        for one in reversed(self.seen):
            if own & one.names and one.index != index and one.state != SAME:
                return one
        return None

    def _take_from(self, holder: Seen, cell: TemplateCell, own: frozenset[str]) -> None:
        name = self._name(cell.index)
        source = as_code(holder.cell.source)
        kind = self.marks.cells[holder.index].kind if holder.index >= 0 else ""
        if kind == TEST:
            source = self.marks.surplus(source)
            self.remarks.add("answer_in_test", name)
        elif holder.index >= 0:
            pieces = [piece for piece in blocks(source) if bindings(piece) & own]
            source = "\n\n\n".join(pieces) or source
            self.remarks.add("retyped_answer", name)
        else:
            self.remarks.add("retyped_answer", name)
        if cell.grade_id not in self.answers:
            self.answers[cell.grade_id] = Answer(source, "code", BY_NAME, True)
        else:
            stub = self.answers[cell.grade_id]
            self.answers[cell.grade_id] = Answer(
                stub.source, stub.cell_type, stub.found_by, False, elsewhere=True
            )
            self.placed.append((holder.position, ExtraCell(source, cell.index)))
        if holder.index < 0:
            holder.used = True

    def _place_the_rest(self) -> None:
        before = -1
        present = {one.index for one in self.seen if one.in_order and one.state == SAME}
        following = self._following_anchors()
        for one in self.seen:
            kind = self.marks.cells[one.index].kind if one.index >= 0 else ""
            if one.in_order:
                before = one.index
            if one.used or not one.cell.source.strip():
                continue
            if not kind:
                self._place(one, self._after(before, following[one.position]))
            elif kind in (SETUP, TEXT) and not self.marks.cells[one.index].grade_id:
                self._place_version(one, kind, max(before, one.index), present)

    def _place_version(self, one: Seen, kind: str, after: int, present: set[int]) -> None:
        """Keep an edited cell of the notebook's own, and a copy of its code run once more."""
        if one.state == EDITED:
            if one.index not in present:
                self.remarks.add("edited_setup" if kind == SETUP else "edited_text")
            self._place(one, after)
        elif one.state == SAME and kind == SETUP and not one.in_order and one.index in present:
            self._place(one, after)

    def _following_anchors(self) -> list[int]:
        following, anchor = [], len(self.marks.cells)
        for one in reversed(self.seen):
            following.append(anchor)
            anchor = one.index if one.in_order else anchor
        return following[::-1]

    def _after(self, before: int, following: int) -> int:
        """A setup cell that is missing between may be the one that was edited: stand after it."""
        present = {one.index for one in self.seen}
        setups = [
            cell.index
            for cell in self.marks.cells[before + 1 : following]
            if cell.kind == SETUP and cell.index not in present
        ]
        return max(setups, default=before)

    def _place(self, one: Seen, after: int) -> None:
        one.used = True
        cell = ExtraCell(one.cell.source, after, one.cell.cell_type)
        self.placed.append((one.position, cell))

    def _name(self, index: int) -> str:
        return self.marks.cells[index].grade_id
