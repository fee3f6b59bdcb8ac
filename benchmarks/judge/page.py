"""The page of a run, docs/benchmarks/judge.md: every figure on it comes from judge.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.page import lines

INTRODUCTION = """\
# The judge's speed

How long grading takes beside stock `nbgrader autograde` on the same course in the same run.
`python -m benchmarks judge` measures it again, and writes this page and
[the figures](judge.json)."""

HOW = """\
## How it is measured

- The course: one notebook that imports NumPy and pyplot and has three small exercises with visible
  and hidden tests. The submissions all differ: six answers in ten are right, the others wrong in
  several ways, not Python, or untouched; half of the students have cells of their own, one in five
  a figure.
- The judge runs as an instructor runs it, `python -m course_lib.grading autograde`, with one job a
  core. Its seconds hold everything: starting, releasing the assignment, trying the instructor's own
  answers, reading, judging, and writing notebooks and gradebook.
- Stock nbgrader grades a few of the same submissions twice, a small number and a larger one; the
  difference is its time without its start. So the start counts for the judge and not for stock.
- CPU is that of all processes together, read from the kernel after the last of them has ended.
- Memory is the highest sum over all processes, looked at twice a second; pages that several share
  count once. *Grader* is the process that reads, hands out and records.
- Lesson 14: six notebooks a student, answers from the corpus of `tests/checks`, about six in ten
  right, three in ten wrong, the others untouched; where the corpus has none, the instructor's own.
"""


def page(result: dict[str, Any]) -> str:
    """Return the page in Markdown."""
    found = result["machine"]
    machine = (
        f"Measured on {result['date']}: {found['processor']}, {found['cores']} cores, "
        f"{found['system']}, Python {found['python']}, {result['jobs']} jobs; programs that wanted "
        f"a core before: {found['busy_before']}, after: {found['busy_after']}."
    )
    parts = [[INTRODUCTION], [machine], [*_runs(result["rows"])]]
    if result["lesson"]:
        parts.append([_named(result["lesson"])])
    parts.append(["## Aims", "", *_aims(result["aims"])])
    return "\n\n".join("\n".join(part) for part in [*parts, [HOW]])


def _runs(rows: list[dict[str, Any]]) -> Iterator[str]:
    return lines(
        ["", "submissions", "seconds", "a minute", "CPU for each", "memory", "grader"],
        [
            [r["what"], f"{r['submissions']:,}", f"{r['seconds']:.1f}", f"{r['per_minute']:,.0f}",
             f"{r['cpu_ms']:,.0f} ms", f"{r['memory_mb']} MB", f"{r['grader_mb']} MB"]
            for r in rows
        ],
    )  # fmt: skip


def _named(lesson: dict[str, Any]) -> str:
    return (
        f"Of {lesson['cells']:,} tested cells of Lesson 14, {lesson['unanswered']:,} were not "
        f"answered and {lesson['not full']:,} others did not earn full marks; of these, "
        f"{lesson['named']:,} had their mistake named."
    )


def _aims(found: list[Any]) -> Iterator[str]:
    return lines(
        ["aim", "bound", "found", "met"],
        [
            [words, bound, f"{got:.2f}", "yes" if ok else "**no**"]
            for words, got, bound, ok in found
        ],
    )
