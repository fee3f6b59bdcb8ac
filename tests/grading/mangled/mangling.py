"""The manglings of a notebook: a name, a function from bytes to bytes, and what must be left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.grading.mangled.assignment import ANSWERS, as_bytes, released_notebook

Notebook = dict[str, Any]
ALL = frozenset(ANSWERS)


@dataclass(frozen=True, eq=False)
class Mangling:
    """One way to mangle the good submission.

    mangle: from the good submission's bytes. recovered: the answers, by grade id, that must have
    the good text (or the one in `texts`). unchanged: those that must be found as handed out;
    `elsewhere`: those of them that an extra cell answers. All others must be missing. remarks:
    the kinds that must be among the remarks, and `needs_look` whether a person must look. extra:
    pieces of text, each of which must stand in an extra code cell, in this order. worthless: those
    of the recovered answers that earn nothing.
    """

    name: str
    mangle: Callable[[bytes], bytes]
    recovered: frozenset[str] = ALL
    texts: Mapping[str, str] = field(default_factory=dict)
    unchanged: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    remarks: frozenset[str] = frozenset()
    needs_look: bool = False
    extra: tuple[str, ...] = ()
    legible: bool = True
    worthless: frozenset[str] = frozenset()

    @property
    def earns(self) -> frozenset[str]:
        """The answers that still deserve their points."""
        return (self.recovered | self.elsewhere) - self.worthless


MANGLINGS: list[Mangling] = []


def on_bytes(**expected: Any) -> Callable[[Callable[[bytes], bytes]], Callable[[bytes], bytes]]:
    """List a function from bytes to bytes."""

    def listed(function: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
        sets = {
            name: frozenset(value) if isinstance(value, set) else value
            for name, value in expected.items()
        }
        MANGLINGS.append(Mangling(function.__name__, function, **sets))
        return function

    return listed


def on_notebook(**expected: Any) -> Callable[[Callable[[Notebook], Any]], Callable[..., Any]]:
    """List a function that changes a notebook, or returns another."""

    def listed(function: Callable[[Notebook], Any]) -> Callable[..., Any]:
        def mangle(data: bytes) -> bytes:
            notebook = json.loads(data)
            changed = function(notebook)
            return as_bytes(notebook if changed is None else changed)

        mangle.__name__ = function.__name__
        on_bytes(**expected)(mangle)
        return function

    return listed


def at(notebook: Notebook, cell_id: str) -> int:
    """Return the position of a cell."""
    return next(i for i, cell in enumerate(notebook["cells"]) if cell["id"] == cell_id)


def cell(notebook: Notebook, cell_id: str) -> dict[str, Any]:
    """Return a cell."""
    return notebook["cells"][at(notebook, cell_id)]


def code(source: str, cell_id: str = "own", **metadata: Any) -> dict[str, Any]:
    """Return a code cell of the student's own."""
    return {
        "cell_type": "code",
        "id": cell_id,
        "metadata": metadata,
        "execution_count": 9,
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def text(source: str, cell_id: str = "own-text") -> dict[str, Any]:
    """Return a text cell of the student's own."""
    lines = source.splitlines(keepends=True)
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": lines}


def stub(cell_id: str) -> list[str]:
    """Return the source with which a cell was handed out."""
    return cell(released_notebook(), cell_id)["source"]


def without(*grade_ids: str) -> frozenset[str]:
    """Return all answers but these."""
    return ALL - set(grade_ids)


def sources(notebook: Notebook) -> list[tuple[str, str]]:
    """Return type and text of each cell."""
    return [(one["cell_type"], "".join(one["source"])) for one in notebook["cells"]]


def strip(notebook: Notebook) -> None:
    """Take away all metadata and ids of cells."""
    for one in notebook["cells"]:
        one["metadata"] = {}
        one.pop("id", None)
