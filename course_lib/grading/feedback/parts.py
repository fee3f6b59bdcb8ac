"""A graded notebook as a student reads it: parts with a title, and in each what stands there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.grading.feedback.hidden import hides_something, public_source
from course_lib.grading.feedback.outputs import Shown, public_outputs, shown
from course_lib.grading.feedback.prose import heading
from course_lib.grading.feedback.remarks import missing_answers
from course_lib.grading.feedback.room import Room
from course_lib.grading.feedback.verdict import Verdict, read_verdict
from course_lib.grading.marks.records import NotebookMarks
from course_lib.grading.result import MISSING, CellScore
from course_lib.grading.template import Delimiters, joined

# As the judge says it of a test whose answer it did not find.
MISSING_CELL = re.compile(r"The answer cell (.+) is missing from the notebook\.")
# The first line of a check's report, cleaned: "softmax: 3 of 4 points".
HEADLINE = re.compile(
    r"^(\s*(?:<div>\s*)?)<b>[^<]*: [\d.]+ of [\d.]+ points(?:, all right)?\.?</b>\s*"
)


@dataclass
class Block:
    """One cell, or a run of cells that only tell: kind "told", "code", "answer" or "check".

    html: what stands there, safe; of a check it is the test as students have it. missing: the
    answer was not found in the student's file.
    """

    kind: str
    html: str = ""
    outputs: list[Shown] = field(default_factory=list)
    verdict: Verdict | None = None
    comment: str = ""
    first_line: str = ""
    prose: bool = False
    own: bool = False
    missing: bool = False
    grade_id: str = ""


@dataclass
class Part:
    """What stands under one heading of the notebook."""

    title: str
    number: int
    blocks: list[Block] = field(default_factory=list)

    @property
    def verdicts(self) -> list[Verdict]:
        """Those of its graded cells."""
        return [block.verdict for block in self.blocks if block.verdict]

    @property
    def quiet(self) -> bool:
        """Whether it has no answer, no check and no output."""
        return all(b.kind in ("told", "code") and not b.outputs for b in self.blocks)


def read_parts(
    notebook: Mapping[str, Any], marks: NotebookMarks, delimiters: Delimiters | None = None
) -> list[Part]:
    """Take a graded notebook apart at its headings."""
    parts = [Part("", 0)]
    graded, told = Room(), Room()  # no cell of a student's own takes the room of a graded one
    for cell in notebook.get("cells", []):
        source = public_source(joined(cell.get("source", "")), delimiters)
        grading = cell.get("metadata", {}).get("nbgrader") or {}
        solution, grade = bool(grading.get("solution")), bool(grading.get("grade"))
        answered = solution or grade or bool(grading.get("task"))
        if cell.get("cell_type") != "code" and not answered:
            title = heading(source)
            if title and (parts[-1].title or parts[-1].blocks):
                parts.append(Part(title, len(parts)))
            elif title:
                parts[-1].title = title
            _tell(parts[-1], told.prose(source))
        elif not answered:
            _add_code(parts[-1], cell, source, told)
        else:
            parts[-1].blocks.append(_graded(cell, source, grading, marks, delimiters, graded))
    if parts[-1].verdicts:  # what follows the last exercise only leads on to the next notebook
        last = max(i for i, block in enumerate(parts[-1].blocks) if block.verdict)
        kept = (b for i, b in enumerate(parts[-1].blocks) if i <= last or b.kind != "told")
        parts[-1].blocks = list(kept)
    _mark_missing(parts, notebook)
    return [part for part in parts if part.blocks]


def _mark_missing(parts: list[Part], notebook: Mapping[str, Any]) -> None:
    """Mark the answers that the judge looked for in vain, and the checks of them."""
    judged = [judged_cell(cell) for cell in notebook.get("cells", [])]
    found = [MISSING_CELL.match(score.reason) for score in judged if score]
    ids = {match[1] for match in found if match} | missing_answers(notebook)
    for part in parts:
        for block in part.blocks:
            by_judge = block.verdict is not None and block.verdict.state == MISSING
            if block.kind in ("answer", "check") and (by_judge or block.grade_id in ids):
                block.missing = True
                block.outputs = []


def _tell(part: Part, html: str) -> None:
    if part.blocks and part.blocks[-1].kind == "told":
        part.blocks[-1].html += html
    else:
        part.blocks.append(Block("told", html))


def _add_code(part: Part, cell: Mapping[str, Any], source: str, room: Room) -> None:
    outputs = room.outputs(shown(public_outputs(cell, False), trusted=False))
    if source.strip() or outputs:
        first = next((line for line in source.splitlines() if line.strip()), "")[:80]
        own = bool((cell.get("metadata", {}).get("judge") or {}).get("own"))
        part.blocks.append(Block("code", room.code(source), outputs, first_line=first, own=own))


def _graded(
    cell: Mapping[str, Any],
    source: str,
    grading: Mapping[str, Any],
    marks: NotebookMarks,
    delimiters: Delimiters | None,
    room: Room,
) -> Block:
    grade_id = str(grading.get("grade_id", ""))
    is_code = cell.get("cell_type") == "code"
    test = is_code and bool(grading.get("grade")) and not grading.get("solution")
    secretive = test and hides_something(joined(cell.get("source", "")), delimiters)
    judged = judged_cell(cell)
    public = public_outputs(cell, secretive)
    if judged and judged.reason:  # which is shown, so the error that says the same is not
        public = [output for output in public if output.get("evalue") != judged.reason]
    outputs = room.outputs(shown(public, trusted=test))
    verdict = None
    if grading.get("grade") or grading.get("task"):
        verdict = read_verdict(grade_id, marks.marks.get(grade_id), judged)
        if test and verdict.replaced is None:
            outputs = [_without_headline(piece) for piece in outputs]
            outputs = [piece for piece in outputs if piece.content]
        if any(piece.kind == "report" for piece in outputs) and not judged_by_assert(judged):
            verdict.told = True
    comment = marks.comments.get(grade_id, "")
    if verdict and comment == verdict.reason:
        comment = ""
    return Block(
        "check" if test else "answer",
        room.code(source) if is_code else room.prose(source),
        outputs,
        verdict,
        room.prose(comment) if comment else "",
        prose=not is_code,
        grade_id=grade_id,
    )


def _without_headline(piece: Shown) -> Shown:
    """Take the points out of a report, which stand above it."""
    if piece.kind != "report":
        return piece
    html = HEADLINE.sub(r"\1", piece.content, count=1)
    return Shown("report", html if re.sub(r"<[^>]*>|\s", "", html) else "")


def judged_cell(cell: Mapping[str, Any]) -> CellScore | None:
    """Give what the judge wrote about a cell, or None where it wrote nothing."""
    judge = cell.get("metadata", {}).get("judge")
    score = judge.get("score") if isinstance(judge, Mapping) else None
    return CellScore.from_plain(score) if isinstance(score, Mapping) else None


def judged_by_assert(judged: CellScore | None) -> bool:
    """Whether the mistakes were named by plain asserts, so that no report shows them."""
    return judged is not None and any(m.id.startswith("assert:") for m in judged.mistakes)
