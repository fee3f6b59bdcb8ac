"""Inputs for the exercises that are formulas, and a reading of what is off in a wrong one.

A count is a polynomial in V, T, d and L. From enough inputs the coefficients of a wrong answer can
be solved for exactly, so that even a mistake that nobody foresaw is told by its term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from course_lib.checks.exercise import Case

GPT2_SMALL = (50257, 1024, 768, 12)
GPT3 = (50257, 2048, 12288, 96)

# the terms V^a T^b d^c L^e, by their exponents
TERMS: dict[str, tuple[int, int, int, int]] = {
    "L·d²": (0, 0, 2, 1), "L·d": (0, 0, 1, 1), "V·d": (1, 0, 1, 0), "T·d": (0, 1, 1, 0),
    "d": (0, 0, 1, 0), "d²": (0, 0, 2, 0), "L": (0, 0, 0, 1), "V": (1, 0, 0, 0), "T": (0, 1, 0, 0),
    "a constant": (0, 0, 0, 0), "T·d·L": (0, 1, 1, 1), "V·d·L": (1, 0, 1, 1), "T²": (0, 2, 0, 0),
    "V·T": (1, 1, 0, 0), "T²·d·L": (0, 2, 1, 1), "T²·L": (0, 2, 0, 1),
}  # fmt: skip


def sizes(seed: int, count: int) -> list[tuple[int, int, int, int]]:
    """Draw V, T, d, L: all different, d even, and no number simple enough to hide a mistake."""
    rng = np.random.default_rng([seed, 6207])
    found: list[tuple[int, int, int, int]] = []
    while len(found) < count:
        V, T, d, L = (int(rng.integers(*r)) for r in ((60, 900), (9, 200), (10, 99), (2, 30)))
        if len({V, T, 2 * d, 4 * d, d, L, 2 * L, d * L}) == 8:
            found.append((V, T, 2 * d, L))
    return found


def case(
    name: str, args: tuple[Any, ...], names: str, box: str = "", tolerance: float = 1e-9
) -> Case:
    """Make a case whose arguments are the story, told in the visible check only."""
    words = ", ".join(
        f"{n} = {a:,}" if type(a) is int else f"{n} = {a}"
        for n, a in zip(names.split(), args, strict=False)
    )
    known = {GPT2_SMALL: "GPT-2 small's sizes", GPT3: "GPT-3's sizes"}
    tried = known.get(args[:4], "a model of other sizes") if len(args) >= 4 else "other sizes"
    return Case(name, (args,), tried, secret=words, box=box, tolerance=tolerance)


def off_by(
    cases: Sequence[Case], values: Sequence[Any], expected: Sequence[Any]
) -> dict[str, Fraction]:
    """Return the terms of (answer − right answer), by solving for their coefficients.

    Uses the cases whose name starts with "size"; empty if no combination of TERMS fits all.
    """
    rows, right = [], []
    for known, value, true in zip(cases, values, expected, strict=True):
        if known.name.startswith("size"):
            if type(value) not in (int, float) or (type(value) is float and not np.isfinite(value)):
                return {}
            x = known.calls[0][:4]
            rows.append([Fraction(prod(n**e for n, e in zip(x, es, strict=True)))
                         for es in TERMS.values()])  # fmt: skip
            right.append(Fraction(value) - Fraction(true))
    solution = _solve(rows, right)
    if solution is None or any(c.denominator > 24 or abs(c) > 10_000 for c in solution):
        return {}
    return {name: c for name, c in zip(TERMS, solution, strict=True) if c}


def _solve(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve by Gaussian elimination; None if there is no solution or more than one."""
    table = [[*row, y] for row, y in zip(rows, right, strict=True)]
    width = len(rows[0])
    for column in range(width):
        pivot = next((r for r in range(column, len(table)) if table[r][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        lead = table[column]
        for r in range(len(table)):
            if r != column and table[r][column]:
                factor = table[r][column] / lead[column]
                table[r] = [a - factor * b for a, b in zip(table[r], lead, strict=True)]
    if any(row[width] for row in table[width:]):
        return None
    return [table[i][width] / table[i][i] for i in range(width)]


def tell_terms(meaning: dict[str, str]) -> Callable[..., str]:
    """Return a `locate` for an exercise: which term is off, and what that term stands for.

    By how much is told on visible inputs only: an answer could make a number of hidden ones.
    """

    def locate(
        cases: Sequence[Case], values: Sequence[Any], expected: Sequence[Any], visible: bool
    ) -> str:
        terms = off_by(cases, values, expected)
        if not terms or len(terms) > 4:
            return ""
        said = []
        for name, c in terms.items():
            amount = "" if abs(c) == 1 and name != "a constant" else f"{abs(c)}·"
            what = f"{abs(c)}" if name == "a constant" else f"{amount}{name}"
            what = what if visible else name
            about = f" (where {meaning[name]} are counted)" if name in meaning else ""
            said.append(f"{what} too {'much' if c > 0 else 'little'}{about}")
        return f"Over all sizes tried your answer is the right one with {'; '.join(said)}."

    return locate
