"""What the judge says about one notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

PASSED, PARTIAL, FAILED = "passed", "partial", "failed"
LIMIT = "limit"  # the answer ran into a limit
UNANSWERED = "unanswered"  # the answer is what was handed out
MISSING = "missing"  # the answer could not be found in the submission
MANUAL = "manual"  # for a person to grade


@dataclass(frozen=True)
class Remark:
    """Something a person should know about a submission.

    kind: a short name, the same for all submissions ("duplicated_cell"); text: the sentence to
    show; needs_look: whether a person must look before the grade counts.
    """

    kind: str
    text: str
    needs_look: bool = False


@dataclass(frozen=True)
class Mistake:
    """A mistake that a test named: `id` is the same for all who made it."""

    id: str
    title: str
    message: str = ""


@dataclass(frozen=True)
class CellScore:
    """The points of one graded cell.

    score: None where a person grades. reason: one plain sentence for the student, "" if all is
    right; it holds nothing of a hidden test. limit: which limit was hit ("cpu time", "wall time",
    "memory", "output", "result size", "crash"), or "". live: whether the test ran on the
    student's side of the wall, so that its result is the student's word.
    """

    grade_id: str
    cell_type: str
    score: float | None
    max_score: float
    status: str
    reason: str = ""
    mistakes: tuple[Mistake, ...] = ()
    limit: str = ""
    live: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> CellScore:
        """Rebuild it from plain data, whichever version of the judge wrote that."""
        mistakes = tuple(Mistake(**_known(Mistake, m)) for m in data.get("mistakes", ()))
        return cls(**{**_known(cls, data), "mistakes": mistakes})


@dataclass(frozen=True)
class Result:
    """The graded notebook and its points.

    notebook: the instructor's notebook (format 4) with the student's answers and all outputs, as
        nbgrader keeps it in `autograded/`. It holds hidden tests.
    cells: one entry for each graded cell, in order.
    remarks: what was odd about the submission.
    wall: what stood between the student's code and this machine ("landlock+seccomp", …).
    shown: of a first run only, what the second one needs of it (see `Job`); there is no score yet.
    broken_off: whether the run took longer than its slice (see `Job`), and is to be done anew.
    """

    notebook: dict[str, Any]
    cells: tuple[CellScore, ...]
    remarks: tuple[Remark, ...] = ()
    wall: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    shown: str = ""
    broken_off: bool = False

    @property
    def score(self) -> float:
        """Points so far; cells for a person to grade count 0."""
        return sum(cell.score or 0.0 for cell in self.cells)

    @property
    def max_score(self) -> float:
        """Points that can be had."""
        return sum(cell.max_score for cell in self.cells)

    @property
    def needs_look(self) -> bool:
        """Whether a person must look at it."""
        return any(remark.needs_look for remark in self.remarks)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Result:
        """Rebuild what `to_plain` gave, in this version or another; the notebook may be missing."""
        cells = tuple(CellScore.from_plain(cell) for cell in data.get("cells", ()))
        remarks = tuple(Remark(**_known(Remark, r)) for r in data.get("remarks", ()))
        return cls(**{"notebook": {}, **_known(cls, data), "cells": cells, "remarks": remarks})


def _known(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what this version has no field for."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in data.items() if name in names}
