"""What is printed when a run is over."""

from __future__ import annotations

from course_lib.grading.printable import printable
from course_lib.grading.run.progress import clock
from course_lib.grading.run.summary import Summary

LOOKS_SHOWN = 10


def closing_table(summary: Summary) -> str:
    """Return the counts by notebook, what needs a look, and how long it took."""
    heads = ["notebook", "graded", "skipped", "look", "refused", "failed"]
    counts = [*summary.notebooks.items(), ("all", summary.counts)]
    rows = [
        [name, *map(str, (c.graded, c.skipped, c.needs_look, c.refused, c.failed))]
        for name, c in counts
    ]
    if summary.points:
        heads.append("mean automatic points")
        for row in rows:
            row.append(_mean(summary, row[0]))
    lines = _aligned([heads, *rows])
    rest = "`make report`, or `python -m course_lib.grading report`, lists all"
    for title, entries, advice in (
        ("needs a look", summary.looks, f": {rest}"),
        ("not graded", summary.failures, ""),
    ):
        lines += [printable(f"{title}: {s}, {n}: {why}") for s, n, why in entries[:LOOKS_SHOWN]]
        if len(entries) > LOOKS_SHOWN:
            lines.append(f"{title}: {len(entries) - LOOKS_SHOWN} more{advice}")
    lines += [f"note: {note}" for note in summary.notes]
    lines.append(f"{summary.counts} in {clock(summary.seconds)}{_rate(summary)}")
    if summary.walls:
        lines.append(f"wall: {', '.join(sorted(summary.walls))}")
    return "\n".join(lines)


def _mean(summary: Summary, notebook: str) -> str:
    if notebook not in summary.points:
        return "" if notebook == "all" else "-"
    counts, (score, most) = summary.notebooks[notebook], summary.points[notebook]
    number = counts.graded + counts.skipped
    return f"{score / number:.2f} of {most / number:.4g}"


def _rate(summary: Summary) -> str:
    graded = summary.counts.graded
    told = graded and summary.seconds >= 1
    return f" ({graded / summary.seconds * 60:.0f} graded a minute)" if told else ""


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            value.ljust(width) if i == 0 else value.rjust(width)
            for i, (value, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
