"""What is printed when a run is over."""

from __future__ import annotations

from course_lib.grading.printable import printable
from course_lib.grading.run.batch import Summary
from course_lib.grading.run.progress import clock

LOOKS_SHOWN = 10


def closing_table(summary: Summary) -> str:
    """Return the counts by notebook, what needs a look, and how long it took."""
    head = ("notebook", "graded", "skipped", "look", "refused", "failed", "automatic points")
    rows = [
        (name, c.graded, c.skipped, c.needs_look, c.refused, c.failed, _mean(summary, name))
        for name, c in summary.notebooks.items()
    ]
    total = summary.counts
    rows.append(
        ("all", total.graded, total.skipped, total.needs_look, total.refused, total.failed, "")
    )
    lines = _aligned([head, *([str(value) for value in row] for row in rows)])
    for title, entries in (("needs a look", summary.looks), ("not graded", summary.failures)):
        lines += [printable(f"{title}: {s}, {n}: {why}") for s, n, why in entries[:LOOKS_SHOWN]]
        if len(entries) > LOOKS_SHOWN:
            lines.append(f"{title}: {len(entries) - LOOKS_SHOWN} more")
    lines += [f"note: {note}" for note in summary.notes]
    lines.append(f"{total} in {clock(summary.seconds)}{_rate(summary)}")
    if summary.walls:
        lines.append(f"wall: {', '.join(sorted(summary.walls))}")
    return "\n".join(lines)


def _mean(summary: Summary, notebook: str) -> str:
    graded = summary.notebooks[notebook].graded
    score, most = summary.points.get(notebook, (0.0, 0.0))
    return f"{score / graded:.2f} of {most / graded:.4g}" if graded else "-"


def _rate(summary: Summary) -> str:
    graded = summary.counts.graded
    return f" ({graded / summary.seconds * 60:.0f} graded a minute)" if graded else ""


def _aligned(rows: list[tuple[str, ...] | list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            value.ljust(width) if i == 0 else value.rjust(width)
            for i, (value, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
