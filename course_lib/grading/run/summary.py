"""What a run is asked for, and what it came to."""

from __future__ import annotations

from dataclasses import dataclass, field

from course_lib.grading.result import Result
from course_lib.grading.run.progress import Counts


@dataclass(frozen=True)
class Choice:
    """What a run is asked for.

    students: their ids, () for all; notebook: a name or pattern; jobs: 0 for the course's setting;
    force: grade what has not changed, too.
    """

    students: tuple[str, ...] = ()
    notebook: str = "*"
    jobs: int = 0
    scheduler: str = ""
    force: bool = False
    unsafe: bool = False


@dataclass
class Summary:
    """What a run came to.

    notebooks: counts by notebook; points: (sum of automatic scores, of what they could be) of those
    graded now or skipped; looks, of both too, and failures: (student, notebook, why), sorted;
    notes: on the instructor's notebooks.
    """

    counts: Counts = field(default_factory=Counts)
    notebooks: dict[str, Counts] = field(default_factory=dict)
    points: dict[str, tuple[float, float]] = field(default_factory=dict)
    looks: list[tuple[str, str, str]] = field(default_factory=list)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    walls: set[str] = field(default_factory=set)

    def add(self, student: str, notebook: str, result: Result) -> None:
        """Add what is told of each notebook."""
        if result.needs_look:
            why = " ".join(remark.text for remark in result.remarks if remark.needs_look)
            self.looks.append((student, notebook, why))
        score, most = self.points.get(notebook, (0.0, 0.0))
        most += sum(cell.max_score for cell in result.cells if cell.cell_type == "code")
        self.points[notebook] = (score + result.score, most)
