"""Cells out of a Python script that was handed in place of a notebook."""

from __future__ import annotations

import ast
import json
import re
import textwrap
import warnings
from itertools import islice
from typing import Any

from course_lib.grading.submission.bindings import blocks, first_line
from course_lib.grading.submission.cells import MAX_CELLS, MAX_PARSED, SubmittedCell, clean

_DATABRICKS = re.compile(r"\A\s*# Databricks notebook source[ \t]*\n")
_COMMAND = re.compile(r"^# COMMAND -+[ \t]*\n?", re.MULTILINE)
_PERCENT = re.compile(r"^#[ \t]*%%(?!%)[ \t]*([^\n]*)\n?", re.MULTILINE)
_PROMPT = re.compile(r"^#[ \t]*In[ \t]?\[[ \d*]*\]:?[ \t]*\n?", re.MULTILINE)
_LIGHT = re.compile(r"^# (?:\+(?: ([^\n]*))?|-)[ \t]*(?:\n|\Z)", re.MULTILINE)
_MARKDOWN_TYPE = re.compile(r"\[(markdown|md|raw)\]")
_MARKS = re.compile(r"nbgrader=(?=\{)")
_HEADER_LINES = r"(?:(?!# ---\n)#[^\n]*+\n)*"  # each line in one way only, or time would double
_HEADER = re.compile(rf"\A{_HEADER_LINES}# ---\n{_HEADER_LINES}# ---\n")
_PARAGRAPH = re.compile(r"\n(?:[ \t]*\n)+")


def read_script(text: str) -> tuple[list[SubmittedCell], str]:
    """Return the cells of a script, and a few words on what wrote it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _DATABRICKS.match(text):
        cells, words = _databricks(text), "an export of Databricks"
    elif "@app.cell" in text and "marimo" in text and (found := _marimo(text)):
        cells, words = found, "a marimo notebook"
    elif _PERCENT.search(text):
        cells, words = _percent(text), "in the percent format"
    elif _PROMPT.search(text):
        cells, words = _prompts(text), "an export of Jupyter"
    elif _LIGHT.search(text):
        cells, words = _light(text), "in jupytext's light format"
    else:
        cells, words = (
            [_cell(block) for block in blocks(text)[:MAX_CELLS]],
            "without marks of cells",
        )
    return [cell for cell in cells if cell.source.strip()][:MAX_CELLS], words


def _cell(source: str, cell_type: str = "code", marks: Any = None) -> SubmittedCell:
    source, repaired = clean(source.strip("\n"), cell_type)
    marks = marks if isinstance(marks, dict) else {}
    return SubmittedCell(source, cell_type, marks, oddities=repaired)


def _databricks(text: str) -> list[SubmittedCell]:
    cells = []
    for part in _COMMAND.split(_DATABRICKS.sub("", text), MAX_CELLS):
        lines = [line for line in part.strip("\n").split("\n") if not line.startswith("# DBTITLE")]
        if lines[:1] and lines[0].startswith("# MAGIC"):
            source = "\n".join(re.sub(r"^# MAGIC ?", "", line) for line in lines)
            magic, _, rest = source.partition("\n")
            name, _, first = magic.partition(" ")
            types = {"%md": "markdown", "%md-sandbox": "markdown", "%python": "code"}
            if name in types:
                cells.append(_cell(f"{first}\n{rest}", types[name]))
            else:
                cells.append(_cell(source, "code" if source.startswith("%%") else "raw"))
        else:
            cells.append(_cell("\n".join(lines)))
    return cells


def _percent(text: str) -> list[SubmittedCell]:
    text = _HEADER.sub("", text)
    found = list(islice(_PERCENT.finditer(text), MAX_CELLS))
    if not found:  # the only mark stood in what looks like a header
        return [_cell(text)]
    cells = [_cell(text[: found[0].start()])]
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=True):
        kind, source = _MARKDOWN_TYPE.search(match[1]), text[match.end() : end]
        if kind:
            cell_type = "raw" if kind[1] == "raw" else "markdown"
            cells.append(_cell(_uncommented(source), cell_type, _marks(match[1])))
        else:
            cells.append(_cell(source, "code", _marks(match[1])))
    return cells


def _prompts(text: str) -> list[SubmittedCell]:
    """Jupyter's own export: code after each prompt, then the text cells as comments."""
    text = re.sub(r"\A(?:#!|# coding|# -\*-)[^\n]*\n(?:# coding[^\n]*\n)?", "", text)
    cells: list[SubmittedCell] = []
    for number, part in enumerate(_PROMPT.split(text, MAX_CELLS)):
        paragraphs = [p for p in _PARAGRAPH.split(part.strip("\n")) if p.strip()]
        cut = len(paragraphs)
        while cut and _is_comment(paragraphs[cut - 1]):
            cut -= 1
        if cut == 0 and number and paragraphs:
            cut = 1  # a cell of comments alone
        cells.append(_cell("\n\n".join(paragraphs[:cut])))
        cells += [_cell(_uncommented(p), "markdown") for p in paragraphs[cut:]]
    return cells


def _light(text: str) -> list[SubmittedCell]:
    text = _HEADER.sub("", text)
    cells: list[SubmittedCell] = []
    position, options = 0, None
    marks = [*islice(_LIGHT.finditer(text), MAX_CELLS), None]
    for match in marks:
        part = text[position : match.start() if match else len(text)]
        if options is not None:
            kind = _MARKDOWN_TYPE.search(options)
            source = _uncommented(part) if kind else part
            cells.append(_cell(source, "markdown" if kind else "code", _marks(options)))
        else:
            for paragraph in _PARAGRAPH.split(part.strip("\n")):
                comment = _is_comment(paragraph)
                source = _uncommented(paragraph) if comment else paragraph
                cells.append(_cell(source, "markdown" if comment else "code"))
        if match:
            position = match.end()
            options = (match[1] or "") if match[0].startswith("# +") else None
    return cells


def _marimo(text: str) -> list[SubmittedCell]:
    if len(text) > MAX_PARSED:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    cells, lines = [], text.split("\n")
    for node in body:
        if isinstance(node, ast.With):
            inner = node.body
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
            if not _marks_a_cell(node.decorator_list[0]):
                cells.append(_cell("\n".join(lines[node.lineno - 1 : node.end_lineno])))
                continue
            inner = [part for part in node.body if not isinstance(part, ast.Return)]
        else:
            continue
        if inner:
            first, last = inner[0], inner[-1]
            start = first_line(first)
            source = textwrap.dedent("\n".join(lines[start - 1 : last.end_lineno]))
            shown = re.fullmatch(r'mo\.md\(\s*[rf]*"""(.*)"""\s*\)', source.strip(), re.DOTALL)
            if shown:
                cells.append(_cell(textwrap.dedent(shown[1]).strip(), "markdown"))
            else:
                cells.append(_cell(source))
    return cells


def _marks_a_cell(decorator: ast.expr) -> bool:
    """Whether it is `app.cell` or a call of it; its arguments may be of any depth."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (
        isinstance(called, ast.Attribute)
        and called.attr == "cell"
        and isinstance(called.value, ast.Name)
        and called.value.id == "app"
    )


def _marks(options: str) -> Any:
    """Return nbgrader's metadata, which jupytext writes behind the mark of a cell."""
    found = _MARKS.search(options)
    if not found:
        return {}
    try:
        return json.JSONDecoder().raw_decode(options, found.end())[0]
    except (ValueError, RecursionError):
        return {}


def _is_comment(paragraph: str) -> bool:
    return all(line.startswith("#") for line in paragraph.split("\n") if line.strip())


def _uncommented(source: str) -> str:
    stripped = source.strip("\n")
    quoted = re.fullmatch(r'[rRfF]?("""|\'\'\')\n?(.*?)\n?\1\s*', stripped, re.DOTALL)
    if quoted:
        return quoted[2]
    return "\n".join(re.sub(r"^# ?", "", line) for line in stripped.split("\n"))
