"""The rows of the class report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from course_lib.grading.marks.records import AssignmentMarks, Exercise, Person

Key = tuple[str, str]  # notebook, grade id
NOT_FOUND = "missing_file"  # the judge's remark where there is no such notebook


@dataclass(frozen=True)
class ExerciseRow:
    """How the class did on one exercise.

    count: students who handed in its notebook; the rest is counted among them. item_total and
    upper_lower: None where the figure would mean nothing.
    """

    exercise: Exercise
    count: int
    mean: float | None
    median: float | None
    full: int
    zero: int
    unanswered: int
    waiting: int
    limits: int
    live: bool
    item_total: float | None
    upper_lower: float | None


@dataclass(frozen=True)
class MistakeRow:
    """One mistake: who made it, of how many who answered the exercise."""

    exercise: Exercise
    id: str
    title: str
    students: tuple[str, ...]
    of: int


@dataclass(frozen=True)
class CellRow:
    """One exercise of one student. status "" where no judge said one."""

    student: str
    exercise: Exercise
    score: float | None
    status: str
    limit: str
    cpu_seconds: float
    wall_seconds: float
    by_person: bool
    live: bool


@dataclass(frozen=True)
class RemarkRow:
    """Something odd about one notebook of one student ("" where it is about several).

    count: how many notebooks it is about.
    """

    student: str
    notebook: str
    kind: str
    text: str
    needs_look: bool
    count: int = 1


@dataclass(frozen=True)
class StudentRow:
    """One student's total. notebooks: those handed in."""

    person: Person
    total: float
    points: Mapping[Key, float | None]
    late_penalty: float
    seconds_late: float
    timestamp: datetime | None
    notebooks: frozenset[str]
    waiting: int


@dataclass(frozen=True)
class SlowRow:
    """The computing time of one notebook of one student."""

    student: str
    notebook: str
    cpu_seconds: float
    wall_seconds: float


@dataclass(frozen=True)
class ClassReport:
    """All of an assignment; `made` is the time of the report (UTC)."""

    assignment: str
    marks: AssignmentMarks
    made: datetime
    students: tuple[StudentRow, ...]
    absent: tuple[Person, ...]
    exercises: tuple[ExerciseRow, ...]
    mistakes: tuple[MistakeRow, ...]
    cells: tuple[CellRow, ...]
    remarks: tuple[RemarkRow, ...]
    slowest: tuple[SlowRow, ...]
    walls: Mapping[str, int] = field(default_factory=dict)

    @property
    def totals(self) -> list[float]:
        """The totals of all who handed in."""
        return [student.total for student in self.students]

    @property
    def looks(self) -> list[RemarkRow]:
        """What a person must look at, one row for each submission."""
        rows: dict[tuple[str, str], RemarkRow] = {}
        for row in self.remarks:
            if row.needs_look:
                key = (row.student, row.notebook)
                before = rows.get(key)
                rows[key] = replace(before, text=f"{before.text} {row.text}") if before else row
        return list(rows.values())

    @property
    def in_part(self) -> list[RemarkRow]:
        """What those who handed in have left out, where nobody must look at it."""
        there = {student.person.id for student in self.students}
        return [
            r for r in self.remarks
            if r.kind == NOT_FOUND and not r.needs_look and r.student in there
        ]  # fmt: skip

    @property
    def looks_count(self) -> int:
        """How many submitted notebooks those are."""
        return sum(row.count for row in self.looks)

    @property
    def late(self) -> list[StudentRow]:
        """Those who were late, the latest first."""
        late = [s for s in self.students if s.seconds_late > 0 or s.late_penalty]
        return sorted(late, key=lambda s: (-s.seconds_late, s.person.id))

    @property
    def at_limits(self) -> list[CellRow]:
        """Exercises that were stopped at a limit."""
        return [cell for cell in self.cells if cell.limit]
