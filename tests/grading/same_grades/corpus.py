"""The courses and the submissions that stock nbgrader and the judge grade alike.

Both are text files here. A line `==== NAME` begins a submission, a line `# %% WORDS` a cell:
`# %% GRADE_ID` is an answer in a submission, `# %% + [markdown]` a cell of the student's own, which
stands after the cell before it. In a source, the words are a kind, a grade id and points.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Notebook = dict[str, Any]
Part = tuple[tuple[str, ...], str]  # the words of a cell's first line, its text
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def parts(text: str) -> list[Part]:
    """Return the cells of a text in the form above."""
    found = []
    for piece in re.split(r"^# %% ", text, flags=re.MULTILINE)[1:]:
        head, _, source = piece.partition("\n")
        found.append((tuple(head.split()), source.removesuffix("\n")))
    return found


def read_submissions(name: str) -> dict[str, list[Part]]:
    """Return the cells of each submission for one notebook."""
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    pieces = re.split(r"^==== ", text, flags=re.MULTILINE)[1:]
    return {head: parts(rest) for head, _, rest in (piece.partition("\n") for piece in pieces)}


def hand_in(released: Mapping[str, Any], cells: list[Part]) -> Notebook:
    """Return a student's notebook: the released one with answers and cells of the student's own."""
    notebook = copy.deepcopy(dict(released))
    at = -1
    for words, source in cells:
        if words[0] == "+":
            at += 1
            kind = "markdown" if "markdown" in words else "code"
            notebook["cells"].insert(at, _cell(notebook, kind, source, f"own-{at}"))
            continue
        at = next(i for i, c in enumerate(notebook["cells"]) if grade_id(c) == words[0])
        notebook["cells"][at]["source"] = source
    return notebook


def grade_id(cell: Mapping[str, Any]) -> str:
    """Return the id that nbgrader gave a cell, "" if none."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def _cell(notebook: Mapping[str, Any], kind: str, source: str, name: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if notebook["nbformat_minor"] >= 5:
        cell["id"] = name
    return cell


def source_notebook(text: str) -> Notebook:
    """Return an instructor's notebook."""
    notebook: Notebook = {
        "cells": [],
        "metadata": {"kernelspec": KERNEL},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    for number, (words, source) in enumerate(parts(text)):
        kind, *rest = words
        code = kind in ("setup", "solution", "test")
        cell = _cell(notebook, "code" if code else "markdown", source, f"{kind}-{number}")
        if rest:
            cell["metadata"]["nbgrader"] = {
                "grade": kind in ("test", "manual"),
                "grade_id": rest[0],
                "locked": kind == "test",
                "schema_version": 3,
                "solution": kind in ("solution", "manual"),
                "task": kind == "task",
            }
            if len(rest) > 1:
                cell["metadata"]["nbgrader"]["points"] = float(rest[1])
        notebook["cells"].append(cell)
    return notebook


def intro_notebook() -> Notebook:
    """Return the second course's notebook."""
    return source_notebook((HERE / "intro_source.txt").read_text(encoding="utf-8"))


def digest(*names: str) -> str:
    """Return what changes when one of the texts does."""
    found = hashlib.sha256()
    for name in names:
        found.update((HERE / name).read_bytes())
    return found.hexdigest()


def dump(notebook: Mapping[str, Any]) -> str:
    """Return a notebook as the text of its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False)
