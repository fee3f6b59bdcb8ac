"""What the runs came to: a table, and which aims are met."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
TIMES_STOCK, CPU_MS, SECONDS_FOR_1000, GROWTH, LESSON_MINUTES = 30, 120, 120, 1.1, 20


def row(what: str, submissions: int, used: Any) -> Row:
    """Return one run's figures."""
    return {
        "what": what,
        "submissions": submissions,
        "seconds": round(used.seconds, 2),
        "per_minute": round(60 * submissions / used.seconds, 1),
        "cpu_ms": round(1000 * used.cpu / submissions, 1),
        "memory_mb": round(used.memory / 2**20),
        "grader_mb": round(used.grader / 2**20),
    }


def stock_row(few: Row, many: Row) -> Row:
    """Return stock's figures without its start, from two runs: this favours stock."""
    more = many["submissions"] - few["submissions"]
    seconds = many["seconds"] - few["seconds"]
    cpu = many["cpu_ms"] * many["submissions"] - few["cpu_ms"] * few["submissions"]
    return {
        **many,
        "what": "stock nbgrader, without its start",
        "submissions": more,
        "seconds": round(seconds, 2),
        "per_minute": round(60 * more / seconds, 1),
        "cpu_ms": round(cpu / more, 1),
    }


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table of all runs."""
    yield (
        f"{'':34s} {'submissions':>11s} {'seconds':>9s} {'a minute':>9s} {'CPU each':>10s} "
        f"{'memory':>8s} {'grader':>7s}"
    )
    for r in rows:
        yield (
            f"{r['what']:34s} {r['submissions']:11,d} {r['seconds']:9.1f} {r['per_minute']:9.1f} "
            f"{r['cpu_ms']:7.1f} ms {r['memory_mb']:5d} MB {r['grader_mb']:4d} MB"
        )


def aims(rows: Sequence[Row]) -> Iterator[tuple[str, float, str, bool]]:
    """Yield what was aimed at: words, the number found, the bound, and whether it is met."""
    judge = sorted(
        (r for r in rows if r["what"] == "the judge"), key=lambda r: int(r["submissions"])
    )
    stock = next((r for r in rows if r["what"].startswith("stock")), None)
    most = judge[-1]
    if stock:
        ratio = most["per_minute"] / stock["per_minute"]
        yield ("submissions a minute over stock's", ratio, f"at least {TIMES_STOCK}",
               ratio >= TIMES_STOCK)  # fmt: skip
    each = most["cpu_ms"]
    yield "CPU a submission, in ms", each, f"at most {CPU_MS}", each <= CPU_MS
    if len(judge) > 1:
        growth = most["memory_mb"] / judge[0]["memory_mb"]
        words = f"memory at {most['submissions']:,} over that at {judge[0]['submissions']:,}"
        yield words, growth, f"at most {GROWTH}", growth <= GROWTH
    for_1000 = 1000 * most["seconds"] / most["submissions"]
    words = "seconds for 1,000" + (" (from fewer)" if most["submissions"] < 1000 else "")
    yield words, for_1000, f"at most {SECONDS_FOR_1000}", for_1000 <= SECONDS_FOR_1000
    lesson = next((r for r in rows if r["what"].startswith("Lesson 14")), None)
    if lesson:
        minutes = lesson["seconds"] / lesson["submissions"] * 1000 / 60
        words = "minutes for Lesson 14, 1,000 students"
        words += " (from fewer)" if lesson["submissions"] < 1000 else ""
        yield words, minutes, f"at most {LESSON_MINUTES}", minutes <= LESSON_MINUTES


def mistakes_named(gradebook: Path) -> dict[str, int]:
    """Count the test cells without full marks, and those of them with a mistake named."""
    connection = sqlite3.connect(gradebook)
    found = {"cells": 0, "not full": 0, "named": 0, "unanswered": 0}
    for (text,) in connection.execute("SELECT result FROM judge_ledger"):
        for cell in json.loads(text)["cells"]:
            if cell["score"] is None:
                continue
            found["cells"] += 1
            if cell["status"] in ("unanswered", "missing"):
                found["unanswered"] += 1
            elif cell["score"] < cell["max_score"]:
                found["not full"] += 1
                found["named"] += bool(cell["mistakes"])
    connection.close()
    return found
