"""The answers out of the bytes of whatever was handed in."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.grading.submission.answers import Submission
from course_lib.grading.submission.cells import MAX_CELLS
from course_lib.grading.submission.choose import Choice
from course_lib.grading.submission.exports import (
    MAX_PAGE,
    cells_of_markdown,
    cells_of_page,
    notebook_in_zip,
)
from course_lib.grading.submission.file_kinds import (
    EMPTY,
    NOTEBOOK,
    PAGE,
    SCRIPT,
    ZIP,
    as_utf8,
    kind_of,
    sides_of_conflict,
)
from course_lib.grading.submission.json_scanner import JsonScanner
from course_lib.grading.submission.landmarks import Landmarks, landmarks
from course_lib.grading.submission.notebook_json import NotebookFile, read_notebook
from course_lib.grading.submission.oddities import remark_on_cells, remark_on_file
from course_lib.grading.submission.recognise import Seen, recognise
from course_lib.grading.submission.remarks import Remarks
from course_lib.grading.submission.scripts import read_script
from course_lib.grading.template import Template

KNOWN_SHARE = 1 / 3  # of the template's cells that make a file without answers legible


def read_submission(data: bytes, template: Template) -> Submission:
    """Take the student's answers, and the student's own cells, out of a submitted file.

    Whatever the bytes are, it returns: what cannot be read is said in the remarks. Time and
    memory grow with the size of the file and no faster; outputs are passed over.
    """
    data, oddities = as_utf8(data)
    sides = sides_of_conflict(data)
    if not sides:
        return _read(data, template, oddities)
    first, second = (_read(side, template, oddities) for side in sides)
    better = second if _answered(second) > _answered(first) else first
    same = first.answers == second.answers and first.extra == second.extra
    remarks = Remarks()
    remarks.add("harmless_conflict" if same else "conflict")
    return Submission(
        better.answers, better.extra, (*remarks.as_tuple(), *better.remarks), better.legible
    )


def _answered(submission: Submission) -> int:
    return sum(answer.given for answer in submission.answers.values())


def _read(data: bytes, template: Template, oddities: set[str]) -> Submission:
    remarks = Remarks()
    remarks.update(oddities)
    kind, start = kind_of(data)
    if kind == ZIP and (unpacked := notebook_in_zip(data)) is not None:
        remarks.add("zipped")
        data = unpacked
        kind, start = kind_of(data)
    if kind == EMPTY:
        return _illegible(remarks, "empty_file")
    if kind == NOTEBOOK:
        file = read_notebook(data, start)
    elif kind == SCRIPT:
        file = _text(data)
        remarks.add("script", file.tool)
    elif kind == PAGE and (cells := cells_of_page(data[:MAX_PAGE].decode("utf-8", "replace"))):
        file = NotebookFile(cells, nbformat=4)
        remarks.add("web_page")
    else:
        return _illegible(remarks, "no_notebook", kind)
    marks = landmarks(template)
    seen = recognise(file.cells, marks)
    remark_on_file(file, template, remarks)
    on_answers = Remarks()
    choice = Choice(seen, marks, on_answers)
    choice.run()
    if not _legible(seen, marks):
        return _illegible(remarks, "nothing_recognised")
    remark_on_cells(seen, marks, on_answers, whole=kind == NOTEBOOK)
    return Submission(choice.answers, choice.extra, remarks.as_tuple() + on_answers.as_tuple())


def _text(data: bytes) -> NotebookFile:
    scan = JsonScanner(data[:MAX_PAGE])
    text = scan.text(0, len(scan.data))
    cells, tool = cells_of_markdown(text), "exported as Markdown"
    if not cells:
        cells, tool = read_script(text)
    oddities = scan.oddities | (
        {"too_big"} if max(len(data) / MAX_PAGE, len(cells) / MAX_CELLS) >= 1 else set()
    )
    return NotebookFile(cells[:MAX_CELLS], nbformat=4, oddities=oddities, tool=tool)


def _illegible(remarks: Remarks, kind: str, *names: str) -> Submission:
    remarks.add(kind, *names)
    return Submission({}, (), remarks.as_tuple(), legible=False)


def _legible(seen: Sequence[Seen], marks: Landmarks) -> bool:
    """Whether anything says that this is the assignment's notebook."""
    if any(one.by in ("grade id", "name") for one in seen):
        return True
    known = {one.index for one in seen if one.by in ("text", "lines", "cell id")}
    return bool(known) and len(known) >= KNOWN_SHARE * len(marks.cells)
