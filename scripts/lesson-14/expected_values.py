"""Compare what the scripts of this lesson compute with what the source documents print.

Usage: python scripts/lesson-14/expected_values.py

Prints the table *Expected numerical outputs* (name, expected, got, ok) and exits with 1 if any
row differs. The expectations are data: expected_values.json, beside this file.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

import gpt2_model
import gpt_forward
import param_count

DOCUMENTS = {1: "Lesson 14", 2: "The model", 3: "Anatomy of a transformer"}


class Row(NamedTuple):
    """One line of the table."""

    document: int
    name: str
    expected: str
    got: str
    ok: bool


def differs(expected: Any, got: Any, tolerance: float) -> bool:
    """Say whether a number, or a list of them, is further off than the relative tolerance."""
    if isinstance(expected, list):
        return (
            not isinstance(got, list)
            or len(got) != len(expected)
            or any(differs(e, g, tolerance) for e, g in zip(expected, got, strict=True))
        )
    if isinstance(got, bool) or not isinstance(got, (int, float)) or math.isnan(got):
        return True
    # Where the expected value is 0, relative means relative to 1.
    return bool(abs(got - expected) > tolerance * (abs(expected) or 1))


def compare(expectations: list[dict[str, Any]], computed: dict[str, Any]) -> list[Row]:
    """Return one row for each expectation, and a failed one for each value without any."""
    rows = []
    for item in expectations:
        name, got = item["name"], computed.get(item["name"])
        if "at_most" in item:
            ok = isinstance(got, (int, float)) and 0 <= got <= item["at_most"]
            expected = f"at most {item['at_most']}"
        else:
            ok = not differs(item["expected"], got, item["tolerance"])
            expected = show(item["expected"])
        shown = "not computed" if got is None else show(got)
        rows.append(Row(item["document"], name, expected, shown, ok))
    known = {item["name"] for item in expectations}
    extra = [name for name in computed if name not in known]
    return rows + [Row(0, name, "no expectation", show(computed[name]), False) for name in extra]


def show(value: Any) -> str:
    """Write a value as the table does: integers with separators, floats with all their digits."""
    if isinstance(value, list):
        return "[" + ", ".join(show(v) for v in value) + "]"
    if isinstance(value, float):
        short = f"{value:.3g}"  # 1.86e+18, where that says it all
        return short if "e" in short and float(short) == value else repr(value)
    return f"{value:,}"


def shortened(text: str, width: int) -> str:
    """Cut a text that is too wide for its column."""
    return text if len(text) <= width else text[: width - 1] + "…"


def main() -> int:
    """Print the table; give the exit status."""
    data = json.loads(Path(__file__).with_name("expected_values.json").read_text("utf-8"))
    computed = gpt_forward.values() | param_count.values() | gpt2_model.values()
    rows = compare(data["values"], computed)

    print("Expected numerical outputs")
    line = "{:<62} {:>26} {:>26}  {}".format
    document = None
    for row in rows:
        if row.document != document:
            document = row.document
            print(f"\n{DOCUMENTS.get(document, 'Computed, but not listed')}")
            print(line("name", "expected", "got", "ok"))
        # A row that differs is shown whole.
        wide = 26 if row.ok else 1000
        print(
            line(
                shortened(row.name, 62),
                shortened(row.expected, wide),
                shortened(row.got, wide),
                "ok" if row.ok else "DIFFERS",
            )
        )
    bad = [row for row in rows if not row.ok]
    print(f"\n{len(rows) - len(bad)} of {len(rows)} rows ok")
    for row in bad:
        print(f"DIFFERS: {row.name}: expected {row.expected}, got {row.got}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
