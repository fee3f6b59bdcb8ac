"""Mistakes in a number: a factor, an ε or a coefficient whose wrong value nobody can foresee.

A `Constant` is a family of variants of the reference, one for each value of the number. The value
is solved for on one case, and then has to explain all the others, like any other mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_lib.checks.side_by_side import Args, Pieces, Stacking, run_side_by_side

Array = Any
STEPS = 8


@dataclass(frozen=True, eq=False)
class Constant:
    """A number in the reference, and the mistake of having another.

    title, message: as of a switch; {value} in the message is the number that was found.
    make: the methods of the reference with another number. right: the number that is due.
    grid: the numbers from which the search starts.
    """

    id: str
    title: str
    message: str
    section: str
    part: str
    make: Callable[[float], Pieces]
    right: float
    grid: tuple[float, ...]


def log_grid(low: float, high: float, count: int = 20, signs: bool = False) -> tuple[float, ...]:
    """Return numbers from low to high in equal ratios; with signs their negatives too."""
    numbers = [float(x) for x in np.geomspace(low, high, count)]
    return tuple([-x for x in numbers[::2]] * signs + numbers)


def solve(
    constant: Constant, stacking: Stacking, reference: type, args: Args, got: Array, common: Pieces
) -> Iterator[float]:
    """Yield numbers that give nearly what came on one case: a grid, then Gauss and Newton."""

    def run(numbers: Sequence[float]) -> Array | None:
        variants = [constant.make(c) for c in numbers]
        if any(common.keys() & form.keys() for form in variants[:1]):
            return None
        values = run_side_by_side(stacking, reference, args, variants, common)
        if values is None or values.shape[1:] != got.shape:
            return None
        return values.reshape(len(numbers), -1) - got.ravel()

    with np.errstate(all="ignore"):
        off = run(constant.grid)
        if off is None or not np.isfinite(got).all():
            return
        scale = float(np.abs(got).max()) or 1.0
        errors = np.abs(off).max(axis=1)
        errors[np.isnan(errors)] = np.inf
        for start in np.argsort(errors)[:2]:
            c = constant.grid[start]
            for _ in range(STEPS):
                step = 1e-6 * abs(c) or 1e-9
                off = run((c, c + step))
                if off is None or not np.isfinite(off).all():
                    break
                if np.abs(off[0]).max() <= 1e-9 * scale:
                    yield c
                    break
                slope = (off[1] - off[0]) / step
                size = float(slope @ slope)
                if size == 0:
                    break
                c -= float(slope @ off[0]) / size
            else:
                yield c
