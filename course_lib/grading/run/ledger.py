"""The judge's own tables in the gradebook's database; what a later run need not do again.

`judge_ledger` has a row for each graded notebook, written in the same transaction as its grades.
`judge_source` has a row for each assignment: the sources that were released and tried last.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from course_lib.grading.result import Result

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Table


LEDGER = "judge_ledger"


@dataclass(frozen=True)
class Entry:
    """What the ledger knows of one notebook of one student.

    fingerprint: what the grade followed from; written: the digest of the file in autograded/, ""
    if there is none; grades: the digest of the automatic scores in the gradebook.
    """

    fingerprint: str
    written: str
    grades: str
    needs_look: bool = False


@dataclass(frozen=True)
class SourceState:
    """What an assignment's sources were when they were released, and tried, last.

    released, tried: digests, "" for never; modes: by notebook, how its tests are run.
    """

    released: str = ""
    tried: str = ""
    modes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def to_row(self, assignment: str) -> dict[str, str]:
        """Return the row of `judge_source`."""
        modes = json.dumps(dict(self.modes), sort_keys=True)
        row = {"released": self.released, "tried": self.tried, "modes": modes}
        return {"assignment": assignment} | row

    @classmethod
    def from_row(cls, released: str, tried: str, modes: str) -> SourceState:
        """Rebuild what `to_row` gave."""
        pairs = {
            name: [(cell, tag) for cell, tag in each] for name, each in json.loads(modes).items()
        }
        return cls(released, tried, {name: tuple(each) for name, each in pairs.items()})


@cache
def tables() -> tuple[Table, Table]:
    """Return the tables `judge_ledger` and `judge_source`."""
    from sqlalchemy import Boolean, Column, MetaData, String, Table, Text

    kept = MetaData()  # not nbgrader's: its own migrations must not see ours
    ledger = Table(
        LEDGER,
        kept,
        Column("student", String(128), primary_key=True),
        Column("assignment", String(128), primary_key=True),
        Column("notebook", String(128), primary_key=True),
        Column("fingerprint", String(64), nullable=False),
        Column("written", String(64), nullable=False),
        Column("grades", String(64), nullable=False),
        Column("needs_look", Boolean, nullable=False),
        Column("result", Text, nullable=False),
    )
    source = Table(
        "judge_source",
        kept,
        Column("assignment", String(128), primary_key=True),
        Column("released", String(64), nullable=False),
        Column("tried", String(64), nullable=False),
        Column("modes", Text, nullable=False),
    )
    return ledger, source


def create_tables(engine: Engine) -> tuple[str, ...]:
    """Create both tables where they are missing, or have the columns of another version.

    Returns the names of those that were made anew. What they held can be found out again; grades
    are in nbgrader's own tables.
    """
    from sqlalchemy import inspect

    replaced = []
    inspector = inspect(engine)
    for table in tables():
        if inspector.has_table(table.name):
            there = {column["name"] for column in inspector.get_columns(table.name)}
            if there == {column.name for column in table.columns}:
                continue
            table.drop(engine)
            replaced.append(table.name)
        table.create(engine, checkfirst=True)
    return tuple(replaced)


def result_json(result: Result) -> str:
    """Return a result without its notebook, as the ledger keeps it."""
    plain = {name: value for name, value in vars(result).items() if name != "notebook"}
    return json.dumps(Result(notebook={}, **plain).to_plain() | {"notebook": {}}, sort_keys=True)


def grades_digest(scores: Iterable[tuple[str, float | None]]) -> str:
    """Return the digest of automatic scores by cell, in whatever order they come."""
    return hashlib.sha256(json.dumps(sorted(scores)).encode()).hexdigest()


def read_entries(
    connection: Connection, ledger: Table, assignment: str
) -> dict[tuple[str, str], Entry]:
    """Return what the ledger has of an assignment, by student and notebook."""
    from sqlalchemy import select

    columns = ledger.c
    rows = connection.execute(
        select(
            columns.student,
            columns.notebook,
            columns.fingerprint,
            columns.written,
            columns.grades,
            columns.needs_look,
        ).where(columns.assignment == assignment)
    )
    return {(row[0], row[1]): Entry(row[2], row[3], row[4], bool(row[5])) for row in rows}


def read_results(
    connection: Connection, ledger: Table, assignment: str
) -> Iterator[tuple[str, str, Result]]:
    """Yield student, notebook and result (without its notebook) of all that the ledger has."""
    from sqlalchemy import select

    columns = ledger.c
    rows = connection.execute(
        select(columns.student, columns.notebook, columns.result)
        .where(columns.assignment == assignment)
        .order_by(columns.student, columns.notebook)
        .execution_options(yield_per=200)
    )
    for student, notebook, text in rows:
        yield student, notebook, Result.from_plain(json.loads(text))


def replace_row(connection: Connection, table: Table, values: dict[str, Any]) -> None:
    """Write a row, whether or not there is one with its key."""
    matches = [column == values[column.name] for column in table.primary_key]
    connection.execute(table.delete().where(*matches))
    connection.execute(table.insert().values(**values))
