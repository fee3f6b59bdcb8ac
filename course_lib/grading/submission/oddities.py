"""Remarks on what was odd about a file and its cells, beyond the answers themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.grading.submission.landmarks import Landmarks
from course_lib.grading.submission.notebook_json import NotebookFile
from course_lib.grading.submission.recognise import EDITED, Seen
from course_lib.grading.submission.remarks import Remarks
from course_lib.grading.template import SETUP, TASK, TEST, Template

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FLAGS = ("grade", "solution", "locked", "points", "task")
_ODD = {
    "no_cell": "items that are no cells",
    "odd_source": "sources that are no text",
    "odd_cell_type": "types that do not exist",
}
_TOOLS = (
    ("colab", "Google Colab"),
    ("application/vnd.databricks", "Databricks"),
    ("deepnote", "Deepnote"),
    ("kaggle", "Kaggle"),
    ("marimo", "marimo"),
    ("vscode", "Visual Studio Code"),
)


def remark_on_file(file: NotebookFile, template: Template, remarks: Remarks) -> None:
    """Remark on the format, the kernel and the state of the file."""
    remarks.update(file.oddities - {"broken"})
    if "broken" in file.oddities:
        remarks.add("broken_json")
    if found := [words for kind, words in _ODD.items() if kind in file.oddities]:
        remarks.add("odd_cells", *found)
    if file.nbformat in (1, 2, 3):
        remarks.add("old_format", str(file.nbformat))
    elif file.nbformat != 4:
        remarks.add("unknown_format", str(file.nbformat))
    _kernel(file.metadata, template.notebook.get("metadata", {}), remarks)
    for sign, tool in _TOOLS:
        if any(name.startswith(sign) for name in file.metadata):
            remarks.add("other_tool", tool)
    ids = [cell.cell_id for cell in file.cells if cell.cell_id]
    odd = len(set(ids)) < len(ids) or any(not _CELL_ID.fullmatch(name) for name in ids)
    if odd or 0 < len(ids) < len(file.cells):
        remarks.add("odd_cell_ids")
    for cell in file.cells:
        remarks.update(cell.oddities)


def _kernel(given: Mapping[str, Any], wanted: Mapping[str, Any], remarks: Remarks) -> None:
    spec, info = _part(given, "kernelspec"), _part(given, "language_info")
    language = spec.get("language") or info.get("name")
    expected = (
        _part(wanted, "kernelspec").get("language")
        or _part(wanted, "language_info").get("name")
        or "python"
    )
    version = str(info.get("version", ""))
    if isinstance(language, str) and _plain(language) != _plain(str(expected)):
        remarks.add("wrong_language", language)
    elif version.startswith("2.") and expected == "python":
        remarks.add("wrong_language", "Python 2")
    elif isinstance(name := spec.get("name"), str) and name != _part(wanted, "kernelspec").get(
        "name", name
    ):
        remarks.add("other_kernel", name)


def _plain(language: str) -> str:
    language = language.lower()
    return "python" if language in ("ipython", "python3", "ipython3") else language


def _part(metadata: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = metadata.get(name)
    return part if isinstance(part, dict) else {}


def remark_on_cells(
    seen: Sequence[Seen], marks: Landmarks, remarks: Remarks, *, whole: bool
) -> None:
    """Remark on tests, metadata and order; only on tests if the file was no `whole` notebook."""
    by_index: dict[int, list[Seen]] = {}
    for one in seen:
        by_index.setdefault(one.index, []).append(one)
    for cell in marks.cells:
        copies = by_index.get(cell.index, [])
        if cell.answered or not cell.grade_id:
            continue
        if not copies and whole:
            remarks.add("missing_test", cell.grade_id)
        if any(one.state == EDITED for one in copies):
            remarks.add("edited_test", cell.grade_id)
        if len(copies) > 1:
            remarks.add("copied_test", cell.grade_id)
    if not whole:
        return
    for cell in marks.cells:
        copies = by_index.get(cell.index, [])
        if copies and cell.grade_id and not any(one.in_order for one in copies):
            remarks.add("moved_cell", cell.grade_id)
    _metadata(seen, marks, remarks)


def _metadata(seen: Sequence[Seen], marks: Landmarks, remarks: Remarks) -> None:
    known = False
    for one in seen:
        grade_id = one.cell.grade_id
        if grade_id and grade_id not in marks.by_grade_id:
            remarks.add("unknown_grade_id", grade_id)
        if one.index < 0:
            continue
        cell = marks.cells[one.index]
        if cell.grade_id and one.by == "grade id":
            known = True
            if _flags_differ(one.cell.marks, marks.nbgrader[cell.index]):
                remarks.add("edited_metadata", cell.grade_id)
        if cell.kind in (TEST, TASK) or cell.answered or cell.kind == SETUP:
            extra = [tag for tag in one.cell.tags if tag not in cell.tags]
            if extra:
                remarks.add("tags", *extra)
    if not known and marks.by_grade_id:
        remarks.add("no_metadata")


def _flags_differ(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return any(name in given and name in wanted and given[name] != wanted[name] for name in _FLAGS)
