"""Which submitted cells may hold which answer: by names and by place, where ids do not tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from course_lib.grading.submission.cells import SubmittedCell, parses
from course_lib.grading.submission.landmarks import Landmarks, lines_of
from course_lib.grading.submission.recognise import EDITED, SAME, Seen, put_in_order
from course_lib.grading.submission.remarks import Remarks
from course_lib.grading.template import TEXT, TemplateCell

_FENCE = re.compile(r"\A\s*```[ \t]*+\w*+[ \t]*+\n(.*?)\n?```\s*\Z", re.DOTALL)
_TEXT_MAGIC = re.compile(r"\A\s*%%?(?:markdown|md|raw|html|latex)\b[^\n]*\n?", re.IGNORECASE)
MANY_WORDS = 8  # what is no Python and has more than these is prose


class Candidates:
    """The submitted cells that may hold each answer; `of` has them by the template's index."""

    def __init__(self, seen: Sequence[Seen], marks: Landmarks, remarks: Remarks) -> None:
        self.seen, self.marks, self.remarks = seen, marks, remarks
        self.of: dict[int, list[Seen]] = {cell.index: [] for cell in marks.cells if cell.answered}
        for one in seen:
            if one.index in self.of:
                self.of[one.index].append(one)

    def complete(self) -> None:
        """Look for answers that no id leads to."""
        self._correct_wrong_cells()
        self._take_by_name()
        put_in_order(self.seen)
        self._take_by_position()
        self._take_from_questions()
        put_in_order(self.seen)

    def _open(self, index: int) -> bool:
        """Whether nothing was written so far where this answer belongs."""
        return all(one.state == SAME for one in self.of[index])

    def _correct_wrong_cells(self) -> None:
        """An answer pasted into the cell of another one goes where its names belong."""
        wrong: list[tuple[Seen, int]] = []
        for one in self.seen:
            own = self.marks.names_of(one.index) if one.index in self.of else None
            meant = self.marks.owned(one.names)
            if own and one.state != SAME and not own & one.names and len(meant) == 1:
                wrong.append((one, next(iter(meant))))
                self.of[one.index].remove(one)  # two of them may have changed places
        for one, index in wrong:
            if self._open(index):
                one.index, one.by = index, "name"
                self.remarks.add("answer_in_wrong_cell", self._name(index))
            self.of[one.index].append(one)

    def _take_by_name(self) -> None:
        """Cells without an id that bind an answer's names are candidates if there is no other."""
        by_owner: dict[int, list[Seen]] = {}
        for one in self.seen:
            if one.index < 0:
                for index in self.marks.owned(one.names):
                    by_owner.setdefault(index, []).append(one)
        missing = [index for index in sorted(by_owner) if not self.of[index]]
        for index in missing:
            for one in by_owner[index]:
                if one.index < 0:
                    one.index, one.by = index, "name"
                if one.index == index:
                    self.of[index].append(one)
            if self.of[index]:
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
            present = {one.index for one in self.seen}
            between = self.marks.cells[before + 1 : after]
            missing = [cell for cell in between if cell.index not in present]
            code = [one for one in loose if one.cell.cell_type == "code"]
            text = [one for one in loose if one.cell.cell_type != "code"]
            code_missing = [cell for cell in missing if cell.cell_type == "code"]
            text_missing = [cell for cell in missing if cell.cell_type != "code"]
            if any(cell.answered for cell in code_missing) and not code:
                code, text = _split(text, lambda one: parses(as_code(one.cell.source)))
            if any(cell.answered for cell in text_missing) and not text:
                text, code = _split(code, lambda one: _is_prose(one.cell.source))
            self._pair(code_missing, code)
            self._pair(text_missing, text)
            text = [one for one in text if one.index < 0]
            if text and before in self.of:
                self._continue_text(self.marks.cells[before], text)

    def _pair(self, missing: Sequence[TemplateCell], loose: Sequence[Seen]) -> None:
        """Give loose cells to missing answers in order; other missing cells count if it fits."""
        if len(missing) != len(loose):
            missing = [cell for cell in missing if cell.answered]
        for cell, one in zip(missing, loose, strict=False):
            if not cell.answered:
                continue
            one.index, one.by = cell.index, "position"
            self.of[cell.index].append(one)
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
        self.of[cell.index].append(whole)
        self.remarks.add("retyped_answer", self._name(cell.index))

    def _take_from_questions(self) -> None:
        """Text written into the question, above a cell for it that was left as it was."""
        for one in self.seen:
            index = one.index + 1
            if one.state != EDITED or index not in self.of or not self._open(index):
                continue
            if (
                self.marks.cells[one.index].kind != TEXT
                or self.marks.cells[index].cell_type == "code"
            ):
                continue
            surplus = self.marks.surplus(one.cell.source)
            if surplus:
                found = Seen(replace(one.cell, source=surplus), one.position, frozenset())
                found.index, found.by = index, "position"
                self.of[index].append(found)
                self.remarks.add("answer_in_question", self._name(index))

    def _name(self, index: int) -> str:
        return self.marks.cells[index].grade_id


def _split(loose: Sequence[Seen], fits: Callable[[Seen], bool]) -> tuple[list[Seen], list[Seen]]:
    """Return those that fit and those that do not, each asked once."""
    fitting: list[Seen] = []
    other: list[Seen] = []
    for one in loose:
        (fitting if fits(one) else other).append(one)
    return fitting, other


def as_code(source: str) -> str:
    """Return the code of a text cell without the fence around it."""
    fenced = _FENCE.match(source)
    return fenced[1] if fenced else source


def _is_prose(source: str) -> bool:
    """Whether what stands in a code cell is text."""
    if all(line.startswith("#") for line in lines_of(source)) or _TEXT_MAGIC.match(source):
        return True
    return len(source.split()) > MANY_WORDS and not parses(source)


def as_text(source: str) -> str:
    """Return the text of a code cell without the magic that makes it text."""
    return _TEXT_MAGIC.sub("", source)
