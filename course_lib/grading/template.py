"""The instructor's notebook, taken apart: which cell is what, and what a student was given of it.

A *setup* cell is an ordinary code cell, a *solution* cell is answered by the student and tested
elsewhere, a *test* cell earns points by itself, a *manual* cell is answered by the student and
graded by a person (code or text), a *task* cell is read by a person, a *text* cell is prose.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from course_lib.grading.arguments_after import looks_at_arguments
from course_lib.grading.names import bound_names

SETUP, SOLUTION, TEST, MANUAL, TASK, TEXT = "setup", "solution", "test", "manual", "task", "text"
LIVE_TAG = "judge-live"
IN_PLACE_TAG = "judge-in-place"


@dataclass(frozen=True)
class Delimiters:
    """The lines that nbgrader cuts at, and the stubs that it puts in; its own defaults."""

    begin_solution: str = "BEGIN SOLUTION"
    end_solution: str = "END SOLUTION"
    begin_hidden: str = "BEGIN HIDDEN TESTS"
    end_hidden: str = "END HIDDEN TESTS"
    begin_marks: str = "BEGIN MARK SCHEME"
    end_marks: str = "END MARK SCHEME"
    code_stub: str = "# YOUR CODE HERE\nraise NotImplementedError()"
    text_stub: str = "YOUR ANSWER HERE"


@dataclass(frozen=True)
class TemplateCell:
    """One cell of the instructor's notebook.

    source: the instructor's text; public: what the student was given of it; hidden_lines: the
    numbers (from 1) of a test's lines that the student was not given.
    """

    index: int
    kind: str
    cell_type: str
    source: str
    public: str
    grade_id: str = ""
    points: float = 0.0
    tags: tuple[str, ...] = ()
    hidden_lines: frozenset[int] = frozenset()

    @property
    def graded(self) -> bool:
        """Whether it has points."""
        return self.kind in (TEST, MANUAL, TASK)

    @property
    def answered(self) -> bool:
        """Whether a student writes in it."""
        return self.kind in (SOLUTION, MANUAL)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names that the instructor's code binds at the top level, in order."""
        return bound_names(self.source) if self.cell_type == "code" else ()


@dataclass(frozen=True)
class Template:
    """The instructor's notebook.

    notebook: its JSON (format 4); cells: one entry a cell; digest: changes when anything does.
    """

    notebook: Mapping[str, Any]
    cells: tuple[TemplateCell, ...]
    digest: str

    def __getitem__(self, grade_id: str) -> TemplateCell:
        return next(cell for cell in self.cells if cell.grade_id == grade_id)

    @cached_property
    def has_hidden(self) -> bool:
        """Whether any test has lines that students were not given."""
        return any(cell.hidden_lines for cell in self.cells)

    @cached_property
    def looking_back(self) -> frozenset[str]:
        """The ids of the tests that look at what they gave to an answer, after the call."""
        answers = frozenset(name for cell in self.cells if cell.answered for name in cell.names)
        tests = (cell for cell in self.cells if cell.kind == TEST)
        return frozenset(c.grade_id for c in tests if looks_at_arguments(c.source, answers))


def read_template(notebook: Mapping[str, Any], delimiters: Delimiters | None = None) -> Template:
    """Take the instructor's notebook (JSON of format 4) apart.

    Raises:
        ValueError: it is no notebook of format 4, or two cells have the same grade id.
    """
    if notebook.get("nbformat") != 4:
        raise ValueError(
            f"the source notebook has nbformat {notebook.get('nbformat')!r}, expected 4: open it "
            "in JupyterLab and save it"
        )
    delimiters = delimiters or Delimiters()
    cells = tuple(_cell(i, cell, delimiters) for i, cell in enumerate(notebook["cells"]))
    ids = [cell.grade_id for cell in cells if cell.grade_id]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise ValueError(f"the source notebook has two cells with the grade id {twice[0]!r}")
    text = json.dumps([notebook, vars(delimiters)], sort_keys=True, ensure_ascii=True)
    return Template(notebook, cells, hashlib.sha256(text.encode()).hexdigest())


def joined(source: Any) -> str:
    """Return a cell's source, which a file may hold as a list of lines."""
    return "".join(source) if isinstance(source, list) else str(source)


def _cell(index: int, cell: Mapping[str, Any], delimiters: Delimiters) -> TemplateCell:
    metadata = cell.get("metadata", {})
    marks = metadata.get("nbgrader") or {}
    source = joined(cell["source"])
    kind = _kind(cell["cell_type"], marks)
    public = _public(kind, cell["cell_type"], source, delimiters)
    known = kind in (SOLUTION, TEST, MANUAL, TASK) or bool(marks.get("locked"))
    return TemplateCell(
        index,
        kind,
        cell["cell_type"],
        source,
        public,
        str(marks.get("grade_id", "")) if known else "",
        float(marks.get("points", 0) or 0),
        tuple(metadata.get("tags", ())),
        _hidden_lines(source, delimiters) if kind == TEST else frozenset(),
    )


def _kind(cell_type: str, marks: Mapping[str, Any]) -> str:
    if marks.get("task"):
        return TASK
    if marks.get("grade"):
        return MANUAL if marks.get("solution") or cell_type != "code" else TEST
    if marks.get("solution"):
        return SOLUTION
    return SETUP if cell_type == "code" else TEXT


# ---------------------------------------------------------------- what the student was given


def _public(kind: str, cell_type: str, source: str, marks: Delimiters) -> str:
    if kind in (SOLUTION, MANUAL):
        stub = marks.code_stub if cell_type == "code" else marks.text_stub
        shown, found = _replace_regions(source, marks.begin_solution, marks.end_solution, stub)
        return shown if found else stub
    if kind == TEST:
        return _replace_regions(source, marks.begin_hidden, marks.end_hidden, None)[0]
    if kind == TASK:
        return _replace_regions(source, marks.begin_marks, marks.end_marks, None)[0]
    return source


def _replace_regions(source: str, begin: str, end: str, stub: str | None) -> tuple[str, bool]:
    """Replace every region between the two marks by the stub, indented as the region was."""
    kept: list[str] = []
    inside = found = False
    for line in source.split("\n"):
        if begin in line:
            inside = found = True
            if stub is not None:
                indent = re.match(r"\s*", line)
                kept += [(indent[0] if indent else "") + part for part in stub.split("\n")]
        elif end in line:
            inside = False
        elif not inside:
            kept.append(line)
    return "\n".join(kept), found


def _hidden_lines(source: str, marks: Delimiters) -> frozenset[int]:
    inside, found = False, set()
    for number, line in enumerate(source.split("\n"), 1):
        inside = inside or marks.begin_hidden in line
        if inside:
            found.add(number)
        inside = inside and marks.end_hidden not in line
    return frozenset(found)
