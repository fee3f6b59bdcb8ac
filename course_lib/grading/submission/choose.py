"""From recognised cells to one answer for each place, and the student's own cells."""

from __future__ import annotations

import re
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
from course_lib.grading.submission.cells import SubmittedCell, key, parses
from course_lib.grading.submission.landmarks import Landmarks, lines_of
from course_lib.grading.submission.recognise import EDITED, SAME, Seen, put_in_order
from course_lib.grading.submission.remarks import Remarks
from course_lib.grading.template import SETUP, TEST, TEXT, TemplateCell

_FENCE = re.compile(r"\A\s*```[ \t]*\w*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_TEXT_MAGIC = re.compile(r"\A\s*%%?(?:markdown|md|raw|html|latex)\b[^\n]*\n?", re.IGNORECASE)
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
        self.candidates: dict[int, list[Seen]] = {
            cell.index: [] for cell in marks.cells if cell.answered
        }
        for one in seen:
            if one.index in self.candidates:
                self.candidates[one.index].append(one)

    def run(self) -> None:
        """Fill `answers` and `extra`."""
        self._correct_wrong_cells()
        self._take_by_name()
        put_in_order(self.seen)
        self._take_by_position()
        put_in_order(self.seen)
        for index in self.candidates:
            self._choose(self.marks.cells[index])
        self._look_in_other_cells()
        self._place_the_rest()

    @property
    def extra(self) -> tuple[ExtraCell, ...]:
        """The student's own cells, in the order in which they run."""
        return tuple(cell for _, cell in sorted(self.placed, key=lambda item: item[0]))

    # ------------------------------------------------------------ more candidates

    def _open(self, index: int) -> bool:
        """Whether nothing was written so far where this answer belongs."""
        return all(one.state == SAME for one in self.candidates[index])

    def _correct_wrong_cells(self) -> None:
        """An answer pasted into the cell of another one goes where its names belong."""
        for one in self.seen:
            own = self.marks.names_of(one.index) if one.index in self.candidates else None
            if not own or one.state == SAME or own & one.names:
                continue
            meant = [index for index in sorted(self.marks.owned(one.names)) if self._open(index)]
            if len(meant) == 1:
                self.candidates[one.index].remove(one)
                self.candidates[meant[0]].append(one)
                one.index, one.by = meant[0], "name"
                self.remarks.add("answer_in_wrong_cell", self._name(meant[0]))

    def _take_by_name(self) -> None:
        """Cells without an id that bind an answer's names are candidates if there is no other."""
        by_owner: dict[int, list[Seen]] = {}
        for one in self.seen:
            if one.index < 0:
                for index in self.marks.owned(one.names):
                    by_owner.setdefault(index, []).append(one)
        missing = [index for index in sorted(by_owner) if not self.candidates[index]]
        for index in missing:
            for one in by_owner[index]:
                if one.index < 0:
                    one.index, one.by = index, "name"
                if one.index == index:
                    self.candidates[index].append(one)
            if self.candidates[index]:
                self.remarks.add("found_by_name", self._name(index))

    def _gaps(self) -> list[tuple[int, int, list[Seen]]]:
        """Return the unrecognised cells between recognised ones, with the template's indices."""
        gaps: list[tuple[int, int, list[Seen]]] = []
        before = -1
        loose: list[Seen] = []
        for one in self.seen:
            if one.in_order:
                gaps.append((before, one.index, loose))
                before, loose = one.index, []
            elif one.index < 0 and one.cell.source.strip():
                loose.append(one)
        return [*gaps, (before, len(self.marks.cells), loose)]

    def _take_by_position(self) -> None:
        for before, after, loose in self._gaps():
            between = self.marks.cells[before + 1 : after]
            missing = [c for c in between if c.answered and not self.candidates[c.index]]
            code = [one for one in loose if one.cell.cell_type == "code"]
            text = [one for one in loose if one.cell.cell_type != "code"]
            code_missing = [cell for cell in missing if cell.cell_type == "code"]
            text_missing = [cell for cell in missing if cell.cell_type != "code"]
            if code_missing and not code:
                code = [one for one in text if parses(_as_code(one.cell.source))]
                text = [one for one in text if one not in code]
            if text_missing and not text:
                text = [one for one in code if _is_prose(one.cell.source)]
                code = [one for one in code if one not in text]
            self._pair(code_missing, code)
            self._pair(text_missing, text)
            text = [one for one in text if one.index < 0]
            if text and before in self.candidates:
                self._continue_text(self.marks.cells[before], text)

    def _pair(self, missing: Sequence[TemplateCell], loose: Sequence[Seen]) -> None:
        for cell, one in zip(missing, loose, strict=False):
            one.index, one.by = cell.index, "position"
            self.candidates[cell.index].append(one)
            self.remarks.add("found_by_position", self._name(cell.index))

    def _continue_text(self, cell: TemplateCell, text: Sequence[Seen]) -> None:
        """Text written below the cell for it, which was left as it was, is the answer."""
        if cell.cell_type == "code" or not self._open(cell.index):
            return
        for one in text:
            one.index, one.by = cell.index, "position"
        joined = "\n\n".join(one.cell.source for one in text)
        whole = Seen(SubmittedCell(joined, "markdown"), text[0].position, frozenset())
        whole.index, whole.by = cell.index, "position"
        for one in text:
            one.used = True
        self.candidates[cell.index].append(whole)
        self.remarks.add("retyped_answer", self._name(cell.index))

    # ------------------------------------------------------------ one of several

    def _choose(self, cell: TemplateCell) -> None:
        candidates = self.candidates[cell.index]
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
        if one.by == "cell id" and one.state != SAME:
            self.remarks.add("found_by_cell_id", name)
        self.answers[cell.grade_id] = Answer(
            source, cell.cell_type, _FOUND_BY[one.by], key(source) != key(cell.public)
        )

    def _text(self, cell: TemplateCell, one: Seen) -> str:
        source, given = one.cell.source, one.cell.cell_type
        if cell.cell_type == given or one.state == SAME:
            return source
        if cell.cell_type != "code":
            self.remarks.add("changed_cell_type", self._name(cell.index))
            return _TEXT_MAGIC.sub("", source)
        source = _as_code(source)
        readable = parses(source)
        self.remarks.add(
            "changed_cell_type" if readable else "unreadable_code", self._name(cell.index)
        )
        return source

    def _joined(self, cell: TemplateCell, one: Seen) -> str:
        """Return the text of a cell that was split inside a statement, put together; or ""."""
        if cell.cell_type != "code" or one.state == SAME:
            return ""
        rest = self.seen[one.position + 1 : one.position + 2]
        indented = any(part.cell.source[:1] in (" ", "\t") for part in rest)
        if parses(one.cell.source) and not indented:
            return ""
        first = last = one.position
        while first > 0 and one.position - first < 3 and self._may_join(first - 1, cell):
            first -= 1
        while last + 1 < len(self.seen) and last - one.position < 3:
            if not self._may_join(last + 1, cell):
                break
            last += 1
        spans = [
            (start, end)
            for start in range(one.position, first - 1, -1)
            for end in range(one.position, last + 1)
            if start < end
        ]
        for start, end in sorted(spans, key=lambda span: span[1] - span[0]):
            parts = [part for part in self.seen[start : end + 1] if part.cell.source.strip()]
            source = "\n".join(part.cell.source for part in parts)
            if parses(source):
                for part in parts:
                    part.used = True
                self.remarks.add("split_answer", self._name(cell.index))
                return source
        return ""

    def _may_join(self, position: int, cell: TemplateCell) -> bool:
        part = self.seen[position]
        return (
            part.index in (-1, cell.index)
            and part.cell.cell_type == "code"
            and part.state != SAME
            and not part.used
        )

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
        for index in self.candidates:
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
        source = _as_code(holder.cell.source)
        kind = self.marks.cells[holder.index].kind if holder.index >= 0 else ""
        if kind == TEST:
            tested = set(lines_of(self.marks.cells[holder.index].public))
            lines = [line for line in source.split("\n") if line.strip() not in tested]
            source = "\n".join(lines).strip("\n")
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
        following = self._following_anchors()
        for one in self.seen:
            kind = self.marks.cells[one.index].kind if one.index >= 0 else ""
            if one.in_order:
                before = one.index
            if one.used or not one.cell.source.strip():
                continue
            if not kind:
                self._place(one, self._after(before, following[one.position]))
            elif one.state == EDITED and not self.marks.cells[one.index].grade_id:
                if kind == SETUP:
                    self.remarks.add("edited_setup")
                    self._place(one, one.index)
                elif kind == TEXT:
                    self.remarks.add("edited_text")
                    self._place(one, one.index)

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


def _as_code(source: str) -> str:
    fenced = _FENCE.match(source)
    return fenced[1] if fenced else source


def _is_prose(source: str) -> bool:
    """Whether what stands in a code cell is text."""
    comments = all(line.startswith("#") for line in lines_of(source))
    return comments or bool(_TEXT_MAGIC.match(source)) or not parses(source)
