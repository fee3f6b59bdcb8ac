"""Rules a committed lesson must keep so that nbval really compares every output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nbval.plugin import find_comment_markers, find_metadata_tags

# What nbformat, JupyterLab and nbclient give a cell that had no id: new at each saving.
RANDOM_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}")


def is_random_id(cell_id: str) -> bool:
    """Whether a tool drew this cell id at random."""
    return RANDOM_ID.fullmatch(cell_id) is not None


def broken_rules(notebook: dict[str, Any]) -> list[str]:
    """Say, one line each, what stops this notebook (parsed JSON) from being compared in full."""
    if (notebook.get("nbformat"), notebook.get("nbformat_minor", 0)) < (4, 5):
        return ["the format is older than 4.5, so cells have no ids: run `make render`"]
    cells = notebook["cells"]
    return [
        *_id_faults(cells),
        *_count_faults(cells),
        *_error_faults(cells),
        *_exempt_faults(cells),
    ]


def _code_cells(cells: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each code cell as (place, cell, source); nbval counts code cells from 0."""
    for number, cell in enumerate(cell for cell in cells if cell["cell_type"] == "code"):
        yield f"Cell {number} ({cell.get('id', 'no id')})", cell, "".join(cell["source"])


def _nbval_options(cell: dict[str, Any], source: str) -> dict[str, bool]:
    return {**dict(find_metadata_tags(cell["metadata"])), **dict(find_comment_markers(source))}


def _id_faults(cells: list[dict[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    for position, cell in enumerate(cells):
        cell_id = cell.get("id")
        if not cell_id:
            yield f"cell at position {position} has no id: run `make render`"
        elif is_random_id(cell_id):
            yield f"cell at position {position} has the random id {cell_id}: run `make render`"
        elif cell_id in seen:
            yield f"the id {cell_id} occurs twice: give one of the cells another"
        seen.add(cell_id or "")


def _count_faults(cells: list[dict[str, Any]]) -> Iterator[str]:
    not_run = []
    for expected, (place, cell, source) in enumerate(_code_cells(cells), start=1):
        count = cell.get("execution_count")
        if not source.strip():
            yield f"{place} is empty: remove it"
        elif count is None:
            not_run.append(place)
        elif count != expected:
            yield f"{place} has execution_count {count}, not {expected}: run `make render`"
    if not_run:
        places = ", ".join(not_run)
        yield f"not run (execution_count null), so not compared: {places}: run `make render`"


def _error_faults(cells: list[dict[str, Any]]) -> Iterator[str]:
    for place, cell, source in _code_cells(cells):
        error = next((out for out in cell["outputs"] if out["output_type"] == "error"), None)
        if error and not _nbval_options(cell, source).get("check_exception"):
            yield f"{place} ended in {error['ename']} but has no tag raises-exception"


def _exempt_faults(cells: list[dict[str, Any]]) -> Iterator[str]:
    for place, cell, source in _code_cells(cells):
        options = _nbval_options(cell, source)
        exempt = options.get("skip") or options.get("check") is False
        if exempt and not re.search(r"^\s*# exempt: *\S", source, re.MULTILINE):
            yield f"{place} is not compared and no comment line `# exempt: …` says why"
