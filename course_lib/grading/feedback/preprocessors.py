"""nbgrader's own way to the feedback, made to hide what our pages hide.

In nbgrader_config.py: `c.GenerateFeedback.preprocessors = FEEDBACK_PREPROCESSORS`. Then
`nbgrader generate_feedback` and the formgrader's button show public forms and clean HTML only.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    ClearHiddenTests,
    ClearMarkScheme,
    ClearSolutions,
    GetGrades,
    NbGraderPreprocessor,
)

from course_lib.grading.feedback.clean import clean_html, plain_text, png
from course_lib.grading.feedback.code import LONGEST
from course_lib.grading.feedback.hidden import hides_something, public_source
from course_lib.grading.feedback.outputs import public_outputs, shortened, stream
from course_lib.grading.feedback.parts import judged_cell
from course_lib.grading.feedback.prose import prose
from course_lib.grading.feedback.remarks import remarks_for_students
from course_lib.grading.feedback.room import AROUND, LEFT_OUT, LEFT_OUT_HTML, Room
from course_lib.grading.feedback.verdict import LIMITS
from course_lib.grading.template import Delimiters, joined

MOST_EMPTY = 20  # lines one after another: Pygments takes time with the square of them
EMPTY_LINES = re.compile(rf"(?m)^(?:[^\S\n]*+\n){{{MOST_EMPTY},}}")
KEPT = ("grade", "solution", "task", "grade_id", "points", "score", "comment", "locked")


class ShowPublicForm(NbGraderPreprocessor):  # type: ignore[misc]
    """Replace each output by what students may see; cut hidden tests, solutions, mark schemes."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Do so for one cell, and put the reason for lost points above a test's outputs."""
        delimiters = _delimiters(self)
        secretive = _is_test(cell) and hides_something(cell.source, delimiters)
        cell.source = public_source(cell.source, delimiters)
        if cell.cell_type == "code":
            outputs = public_outputs(cell, secretive)
            judged = judged_cell(cell)
            reason = (judged.reason or LIMITS.get(judged.limit, judged.limit)) if judged else ""
            if reason and not any(output.get("evalue") == reason for output in outputs):
                outputs = [stream(f"{reason}\n"), *outputs]
            cell.outputs = [_node(output) for output in outputs]
        return cell, resources


class CleanPage(NbGraderPreprocessor):  # type: ignore[misc]
    """Leave nothing that could act in a page: nbgrader's template escapes little by itself."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Clean names, metadata and all cells."""
        self._graded, self._told = Room(), Room()
        remarks = remarks_for_students(nb)
        nb.metadata.clear()
        nb.metadata["language_info"] = _node({"name": "python", "pygments_lexer": "ipython3"})
        for name in ("notebook", "student", "assignment"):
            if name in resources.get("nbgrader", {}):
                resources["nbgrader"][name] = escape(plain_text(resources["nbgrader"][name]))
        nb, resources = super().preprocess(nb, resources)
        if remarks:
            text = "".join(f"<li>{escape(plain_text(line))}</li>" for line in remarks)
            cell = {"cell_type": "markdown", "metadata": {}, "id": "remarks", "source": ""}
            cell["source"] = _one_line(f"<h4>About the file you handed in</h4><ul>{text}</ul>")
            nb.cells.insert(0, _node(cell))
        return nb, resources

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clean one cell."""
        test = _is_test(cell)
        room = self._graded if cell.metadata.get("nbgrader") else self._told
        marks = {k: v for k, v in cell.metadata.get("nbgrader", {}).items() if k in KEPT}
        marks |= {k: escape(v) for k, v in marks.items() if k == "grade_id"}
        if marks.get("comment"):
            marks["comment"] = _one_line(prose(str(marks["comment"])))
        cell.metadata.clear()
        if marks:
            cell.metadata["nbgrader"] = _node(marks)
        cell.id = f"cell-{cell_index}"
        cell.pop("attachments", None)
        if cell.cell_type == "code":
            cell.source = _bounded(cell.source, room)
            cleaned = (_cleaned(output, test) for output in cell.outputs)
            cell.outputs = _fitting([output for output in cleaned if output], room)
        else:
            cell.cell_type = "markdown"
            text = prose(cell.source, stock=True, typed=not room.formats(cell.source))
            cell.source = _one_line(text if room.takes(len(text)) else LEFT_OUT_HTML)
        return cell, resources


def _delimiters(parent: Any) -> Delimiters:
    tests, marks = ClearHiddenTests(parent=parent), ClearMarkScheme(parent=parent)
    solutions = ClearSolutions(parent=parent)
    return Delimiters(
        begin_solution=solutions.begin_solution_delimeter,
        end_solution=solutions.end_solution_delimeter,
        begin_hidden=tests.begin_test_delimeter,
        end_hidden=tests.end_test_delimeter,
        begin_marks=marks.begin_mark_scheme_delimeter,
        end_marks=marks.end_mark_scheme_delimeter,
    )


def _is_test(cell: Any) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return cell.cell_type == "code" and bool(marks.get("grade")) and not marks.get("solution")


def _one_line(html: str) -> str:
    """Make one block of HTML that Markdown hands through untouched: it ends at an empty line."""
    return f"<div>{html}</div>".replace("\n", "&#10;").replace("\r", "")


def _bounded(source: str, room: Room) -> str:
    """Return code that Pygments can colour in time: neither long nor with many empty lines."""
    source = plain_text(source)
    left = len(source) - LONGEST
    source = EMPTY_LINES.sub("\n" * MOST_EMPTY, source[:LONGEST])
    source += f"\n# … ({left:,} more characters)" if left > 0 else ""
    return source if room.formats(source) and room.takes(len(source)) else f"# {LEFT_OUT}"


def _fitting(outputs: list[Any], room: Room) -> list[Any]:
    """Return the outputs that fit, and one note in place of any others."""
    kept = []
    for output in outputs:
        data = output.get("data") or {"text/plain": output.get("text", "")}
        length = sum(len(text) for text in data.values())
        if room.takes(length + AROUND, "image/png" in data):
            kept.append(output)
    return kept if len(kept) == len(outputs) else [*kept, _node(stream(f"{LEFT_OUT}\n"))]


def _cleaned(output: Any, test: bool) -> Any:
    kind = output.get("output_type")
    if kind in ("stream", "error"):
        trace = output.get("traceback") or []
        text = joined(output.get("text", "")) or "\n".join(str(line) for line in trace)
        text = text or f"{output.get('ename', '')}: {output.get('evalue', '')}"
        return _node(stream(shortened(text) + "\n"))
    data = output.get("data") or {}
    kept: dict[str, str] = {}
    if test and "text/html" in data:
        kept["text/html"] = clean_html(joined(data["text/html"]))
    elif "image/png" in data and png(data["image/png"]):
        kept["image/png"] = png(data["image/png"])
    elif "text/plain" in data:
        kept["text/plain"] = shortened(joined(data["text/plain"]))
    return _node({"output_type": "display_data", "data": kept, "metadata": {}}) if kept else None


def _node(plain: Any) -> Any:
    from nbformat import from_dict

    return from_dict(plain)


FEEDBACK_PREPROCESSORS = [
    GetGrades,
    ShowPublicForm,
    ClearHiddenTests,
    CleanPage,
    CSSHTMLHeaderPreprocessor,
]
