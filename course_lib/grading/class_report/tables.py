"""The report's CSV files, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from course_lib.grading.class_report.rows import ClassReport

# A cell that begins with one of these is a formula to a spreadsheet (OWASP, CSV Injection); the
# wide forms of the first four are folded to them by some.
SIGNS = "=+-@＝＋－＠"
FORMULA_STARTS = (*SIGNS, "\t", "\r", "\n")
Row = Sequence[Any]


# Where else a cell begins, for programs that split lines there.
INSIDE = re.compile(rf"([;|\t\r\n] *+)(?=[{re.escape(SIGNS)}])")


def defused(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would compute, and drop NUL."""
    text = INSIDE.sub(r"\1'", text.replace("\0", ""))
    return "'" + text if text.lstrip(" ").startswith(FORMULA_STARTS) else text


def csv_text(header: Row, rows: Iterable[Row]) -> str:
    """Return a CSV file; texts are defused, numbers stay numbers, None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([_cell(value) for value in header])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, float):
        value = round(value, 6)
        return int(value) if value.is_integer() else value
    return defused(value) if isinstance(value, str) else value


def all_tables(report: ClassReport) -> dict[str, str]:
    """Return the report's CSV files by name."""
    cell_header = "student notebook exercise score max_score status limit cpu_seconds wall_seconds"
    return {
        "scores.csv": csv_text(*_scores(report)),
        "mistakes.csv": csv_text(
            ["student", "notebook", "exercise", "id", "title"],
            (
                [student, row.exercise.notebook, row.exercise.grade_id, row.id, row.title]
                for row in report.mistakes
                for student in row.students
            ),
        ),
        "cells.csv": csv_text([*cell_header.split(), "graded_by_person", "live"], _cells(report)),
        "remarks.csv": csv_text(
            ["student", "notebook", "kind", "needs_look", "text"],
            ([r.student, r.notebook, r.kind, r.needs_look, r.text] for r in report.remarks),
        ),
    }


def _scores(report: ClassReport) -> tuple[Row, Iterator[Row]]:
    keys = [(e.notebook, e.grade_id) for e in report.marks.exercises]
    header = ["student", "first_name", "last_name", "handed_in_utc", "seconds_late"]
    header += [f"{notebook}/{grade_id}" for notebook, grade_id in keys]
    header += ["late_penalty", "total", "max_total", "waiting"]
    most = report.marks.max_score
    rows = (
        [
            s.person.id, s.person.first_name, s.person.last_name, s.timestamp, s.seconds_late,
            *(s.points.get(key) for key in keys), s.late_penalty, s.total, most, s.waiting,
        ]
        for s in report.students
    )  # fmt: skip
    nothing = [None] * (2 + len(keys) + 1)
    absent = ([p.id, p.first_name, p.last_name, *nothing, 0, most, 0] for p in report.absent)
    return header, chain(rows, absent)


def _cells(report: ClassReport) -> Iterator[Row]:
    for c in report.cells:
        yield [
            c.student, c.exercise.notebook, c.exercise.grade_id, c.score, c.exercise.max_score,
            c.status, c.limit, c.cpu_seconds, c.wall_seconds, c.by_person, c.live,
        ]  # fmt: skip
