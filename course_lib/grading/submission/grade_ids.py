"""Which notebook a file is by the grade ids in it, whatever its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from course_lib.grading.submission.file_kinds import NOTEBOOK, as_utf8, kind_of
from course_lib.grading.submission.files import read_bytes
from course_lib.grading.submission.notebook_json import read_notebook
from course_lib.grading.template import Template

ENOUGH = 0.5  # of a notebook's grade ids, for a file to be it


def grade_ids(data: bytes) -> frozenset[str]:
    """Return the grade ids in a notebook file; none if it is no notebook."""
    plain, _ = as_utf8(data)
    kind, start = kind_of(plain)
    if kind != NOTEBOOK:
        return frozenset()
    return frozenset(cell.grade_id for cell in read_notebook(plain, start).cells) - {""}


def best_fit(data: bytes, wanted: Mapping[str, frozenset[str]]) -> str | None:
    """Return the notebook whose grade ids a file bears; None if none or several fit best.

    wanted: by name, the grade ids of each notebook.
    """
    given = grade_ids(data)
    shares = {name: len(given & ids) / len(ids) for name, ids in wanted.items() if ids}
    most = max(shares.values(), default=0.0)
    best = [name for name, share in shares.items() if share == most]
    return best[0] if len(best) == 1 and most >= ENOUGH else None


def by_content(paths: Iterable[Path], templates: Mapping[str, Template]) -> dict[Path, str]:
    """Return which notebook each file is; left out are those that none fits, or several do."""
    wanted = {
        name: frozenset(cell.grade_id for cell in template.cells if cell.grade_id)
        for name, template in templates.items()
    }
    found: dict[Path, str] = {}
    for path in paths:
        try:
            name = best_fit(read_bytes(path), wanted)
        except (OSError, ValueError):
            continue
        if name is not None:
            found[path] = name
    return found
