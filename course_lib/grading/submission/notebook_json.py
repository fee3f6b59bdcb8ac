"""The cells of a notebook file, formats 3 and 4, whatever state it is in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.grading.submission.cells import MAX_CELLS, SubmittedCell, clean
from course_lib.grading.submission.json_scanner import TOO_BIG, Broken, Exhausted, JsonScanner

MAX_TEXT = 2**22  # characters of all cells together
MAX_RESUMED = 20  # how often a broken file is taken up again at the next cell
_KEPT = frozenset({"cell_type", "source", "input", "metadata", "id", "level", "language"})
_CELL_START = re.compile(
    rb'\{\s*+"(?:cell_type|attachments|execution_count|id|metadata|source|outputs)"\s*+:'
)


@dataclass
class NotebookFile:
    """What a file held.

    metadata: the notebook's; oddities: what was odd, by name; tool: what wrote a script.
    """

    cells: list[SubmittedCell] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    nbformat: Any = None
    oddities: set[str] = field(default_factory=set)
    tool: str = ""


class _Reader:
    def __init__(self, data: bytes, start: int) -> None:
        self.scan = JsonScanner(data, start)
        self.file = NotebookFile(oddities=self.scan.oddities)
        self.length = 0
        self.resumed = 0

    def notebook(self) -> None:
        """Read the object here, or the bare list of cells."""
        if self.scan.at() == b"[":
            self.cells()
            return
        for name in self.scan.members():
            byte = self.scan.at()
            if name == "cells" and byte == b"[":
                self.file.cells = []
                self.cells()
            elif name == "worksheets" and byte == b"[":
                self.worksheets()
            elif name == "metadata":
                metadata = self.scan.value()
                self.file.metadata = metadata if isinstance(metadata, dict) else {}
            elif name == "nbformat":
                self.file.nbformat = self.scan.value()
            else:
                self.scan.skip()

    def worksheets(self) -> None:
        for _ in self.scan.items():
            if self.scan.at() != b"{":
                self.scan.skip()
                continue
            for name in self.scan.members():
                if name == "cells" and self.scan.at() == b"[":
                    self.cells()
                else:
                    self.scan.skip()

    def cells(self) -> None:
        """Read the cells here; a cell that is broken is left out, and the next one looked for."""
        items, start = self.scan.items(), self.scan.position
        while True:
            try:
                start = next(items, -1)
                if start < 0:
                    return
                self.cell()
            except Exhausted:
                raise
            except Broken:
                self.file.oddities.add("broken")
                start = max(start, self.scan.position)
                found = _CELL_START.search(self.scan.data, start + 1)
                self.resumed += 1
                if found is None or self.resumed > MAX_RESUMED:
                    raise
                self.scan.position = found.start() - 1
                items = self.scan.items()  # which steps over one byte first

    def cell(self) -> None:
        if self.scan.at() != b"{":
            self.scan.skip()
            self.file.oddities.add("no_cell")
            return
        raw: dict[str, Any] = {}
        for name in self.scan.members():
            if name in _KEPT:
                raw[name] = self.scan.value()
            else:
                raw.setdefault(name, None)
                self.scan.skip()
        cell = _cell(raw, self.file.oddities)
        self.length += len(cell.source)
        if len(self.file.cells) >= MAX_CELLS or self.length > MAX_TEXT:
            self.file.oddities.add("too_big")
            raise Exhausted
        self.file.cells.append(cell)


def read_notebook(data: bytes, start: int = 0) -> NotebookFile:
    """Read the notebook that begins at `start`, and any that follow it in the same file."""
    reader = _Reader(data, start)
    kept: list[SubmittedCell] = []
    for _ in range(4):
        try:
            reader.notebook()
        except Exhausted:
            break
        except Broken:
            reader.file.oddities.add("broken")
            break
        rest = reader.scan.at()
        if rest == b"{" and _CELL_START.search(data, reader.scan.position):
            reader.file.oddities.add("several_notebooks")
            kept += reader.file.cells
            reader.file.cells = []
            continue
        if rest:
            reader.file.oddities.add("trailing_text")
        break
    reader.file.cells[:0] = kept
    return reader.file


def _cell(raw: Mapping[str, Any], oddities: set[str]) -> SubmittedCell:
    source = _source(raw, oddities)
    cell_type = raw.get("cell_type")
    if cell_type == "heading":
        level = raw.get("level")
        source = "#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + " " + source
    if cell_type in ("heading", "html"):
        cell_type = "markdown"
    if cell_type not in ("code", "markdown", "raw"):
        oddities.add("odd_cell_type")
        cell_type = "code" if {"outputs", "execution_count", "input"} & set(raw) else "markdown"
    metadata = raw.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    marks, tags = metadata.get("nbgrader"), metadata.get("tags")
    source, repaired = clean(source, cell_type)
    return SubmittedCell(
        source,
        cell_type,
        marks if isinstance(marks, dict) else {},
        tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        _cell_id(raw, metadata),
        repaired,
    )


def _source(raw: Mapping[str, Any], oddities: set[str]) -> str:
    source = raw.get("source", raw.get("input"))
    if isinstance(source, str):
        return source
    if isinstance(source, list):
        lines = [line for line in source if isinstance(line, str)]
        if len(lines) < len(source):
            oddities.add("odd_source")
        whole = any(line.endswith("\n") for line in lines[:-1])
        return ("" if whole else "\n").join(lines)
    if source is not TOO_BIG:
        oddities.add("odd_source")
    return ""


def _cell_id(raw: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    for found in (raw.get("id"), metadata.get("id"), metadata.get("cell_id")):
        if isinstance(found, str):
            return found[:64]
    return ""
