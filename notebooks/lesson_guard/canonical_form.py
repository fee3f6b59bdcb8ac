"""The one form in which an executed lesson is committed: the same bytes for the same content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import nbformat

from lesson_guard.notebook_rules import is_random_id

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
VOLATILE_METADATA = ("widgets", "vscode", "orig_nbformat", "signature", "interpreter", "papermill")
KEPT_CELL_METADATA = ("tags", "course", "nbgrader", "jupyter", "slideshow", "deletable", "editable")
WORDS_IN_ID = 6


def canonical(notebook: nbformat.NotebookNode, stem: str) -> nbformat.NotebookNode:
    """Give, in place, a notebook of version 4 stable ids, counts from 1 and lasting metadata.

    `stem` is the file's name without .ipynb; new ids begin with it. Raises ValueError for other
    versions.
    """
    if notebook.get("nbformat") != 4:
        raise ValueError(f"nbformat is {notebook.get('nbformat')!r}; convert the notebook to 4")
    cells = notebook["cells"]
    _name_cells(cells, stem)
    for cell in cells:
        cell["metadata"] = {
            key: value for key, value in cell["metadata"].items() if key in KEPT_CELL_METADATA
        }
    for count, cell in enumerate((c for c in cells if c["cell_type"] == "code"), start=1):
        _settle_code_cell(cell, count)
    metadata = {k: v for k, v in notebook["metadata"].items() if k not in VOLATILE_METADATA}
    metadata |= {"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}}
    notebook.update(metadata=metadata, nbformat_minor=5)
    return notebook


def to_bytes(notebook: nbformat.NotebookNode) -> bytes:
    """Write JSON as git is to see it: UTF-8, LF, one space a level, sorted keys, a last newline."""
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)
    return (text.rstrip("\n") + "\n").encode("utf-8")


def _settle_code_cell(cell: dict[str, Any], count: int) -> None:
    cell["execution_count"] = count
    for output in cell["outputs"]:
        if output["output_type"] == "execute_result":
            output["execution_count"] = count
        data = output.get("data", {})
        data.pop(WIDGET_VIEW, None)  # an id drawn at random, of a model that no file keeps
        for mime in data.keys() & {"image/png", "image/jpeg"}:
            data[mime] = data[mime].replace("\n", "")


def _name_cells(cells: list[dict[str, Any]], stem: str) -> None:
    """Keep the ids that a person gave; name the other cells after the notebook and their words."""
    taken: set[str] = set()
    unnamed = []
    for cell in cells:
        cell_id = cell.get("id", "")
        if not cell_id or is_random_id(cell_id) or cell_id in taken:
            unnamed.append(cell)
        taken.add(cell_id)
    for cell in unnamed:
        words = _slug(cell["source"]).split("-")[:WORDS_IN_ID]
        base = "-".join([_slug(stem), *words])[:56].strip("-")
        cell["id"] = next(name for name in _numbered(base) if name not in taken)
        taken.add(cell["id"])


def _numbered(base: str) -> Iterator[str]:
    yield base
    yield from (f"{base}-{number}" for number in range(2, 10_000))


def _slug(text: str) -> str:
    """Lower-case ASCII words joined by hyphens; an id may hold letters, digits, - and _ only."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "cell"
