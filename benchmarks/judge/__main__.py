"""Time the judge beside stock nbgrader: `python -m benchmarks judge`, `… judge --quick`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.judge.courses import LESSON, SMALL, environment, lesson_course, small_course
from benchmarks.judge.measure import Used, measure
from benchmarks.judge.page import page
from benchmarks.judge.report import aims, mistakes_named, row, stock_row, table
from benchmarks.machine import cores, describe_machine

FINE = (0, 1)  # 1: graded, and some need a person's look
OUT = Path(__file__).parents[2] / "docs" / "benchmarks"


def main(given: list[str] | None = None) -> int:
    """Run everything; return 1 if --check was given and an aim is missed."""
    options = arguments(given)
    machine = describe_machine()
    print(f"{machine['processor']}, {machine['cores']} cores, load {machine['busy_before']}")
    rows: list[dict[str, Any]] = []

    def tell(one: dict[str, Any]) -> None:
        rows.append(one)
        print("\n".join(list(table([one]))[-1:]), flush=True)

    print(next(table([])))
    with tempfile.TemporaryDirectory(prefix="bench-judge-") as scratch:
        if options.stock:
            few, many = (
                row("stock nbgrader", n, _stock(Path(scratch) / f"stock{n}", n, options))
                for n in (max(1, options.stock // 6), options.stock)
            )
            tell(stock_row(few, many))
        for number in sorted({min(100, options.submissions), options.submissions}):
            folder = Path(scratch) / f"judge{number}"
            small_course(folder, range(number))
            tell(row("the judge", number, _judge(folder, SMALL, options)))
        named = None
        if options.students:
            folder = Path(scratch) / LESSON
            counts = lesson_course(folder, options.students)
            tell(row("Lesson 14, six notebooks", options.students, _judge(folder, LESSON, options)))
            named = {**mistakes_named(folder / "gradebook.db"), "answers": dict(counts)}
            print(f"Lesson 14: {named}")
    met = [(words, round(got, 3), bound, ok) for words, got, bound, ok in aims(rows)]
    for words, got, bound, ok in met:
        print(f"{'ok    ' if ok else 'missed'} {words}: {got:.2f} ({bound})")
    if options.out:
        busy = describe_machine()["busy_before"]
        result = {
            "date": time.strftime("%Y-%m-%d"), "machine": {**machine, "busy_after": busy},
            "jobs": options.jobs, "rows": rows, "aims": met, "lesson": named,
        }  # fmt: skip
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "judge.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
        (options.out / "judge.md").write_text(page(result), "utf-8")
        print(f"written to {options.out}: judge.md, judge.json")
    return int(options.check and not all(ok for *_, ok in met))


def _stock(folder: Path, number: int, options: argparse.Namespace) -> Used:
    small_course(folder, range(number))
    nbgrader = [sys.executable, "-m", "nbgrader"]
    measure([*nbgrader, "generate_assignment", SMALL], folder, environment())
    return measure([*nbgrader, "autograde", SMALL], folder, environment(), FINE)


def _judge(folder: Path, assignment: str, options: argparse.Namespace) -> Used:
    command = [sys.executable, "-m", "course_lib.grading", "autograde", assignment]
    return measure([*command, "--jobs", str(options.jobs)], folder, environment(), FINE)


def arguments(given: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks judge", description=__doc__)
    parser.add_argument("--submissions", type=int, default=1000, help="of one small notebook")
    parser.add_argument("--stock", type=int, default=12, help="of them for stock; 0 for none")
    parser.add_argument("--students", type=int, default=100, help="of Lesson 14; 0 for none")
    parser.add_argument("--jobs", type=int, default=cores())
    parser.add_argument("--out", type=Path, help="where to write (default docs/benchmarks)")
    parser.add_argument("--check", action="store_true", help="exit 1 if an aim is missed")
    parser.add_argument("--quick", action="store_true", help="a few submissions, no files")
    words = sys.argv[1:] if given is None else given
    if "--quick" in words:
        parser.set_defaults(submissions=40, stock=3, students=2)
    options = parser.parse_args(words)
    if options.out is None and not options.quick:
        options.out = OUT
    return options


if __name__ == "__main__":
    sys.exit(main())
