"""What the points of a class say: centre, spread, and how well each exercise tells students apart.

Points are lists with one entry a student; None where nothing is graded yet. A figure that would
mean nothing (too few students, all alike) is None.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

Points = Sequence[float | None]
FEWEST = 5  # students, below which no discrimination is given
TAIL = 0.27  # share of the class in the upper and in the lower group


def mean(points: Points) -> float | None:
    """Return the mean of what is graded."""
    known = [p for p in points if p is not None]
    return math.fsum(known) / len(known) if known else None


def median(points: Points) -> float | None:
    """Return the median of what is graded."""
    known = [p for p in points if p is not None]
    return statistics.median(known) if known else None


def spread(points: Points) -> float | None:
    """Return the standard deviation of what is graded (divided by n − 1)."""
    known = [p for p in points if p is not None]
    return statistics.stdev(known) if len(known) > 1 else None


def correlation(first: Points, second: Points) -> float | None:
    """Return Pearson's r over the students who have both."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if len(pairs) < FEWEST:
        return None
    mean_a = math.fsum(a for a, _ in pairs) / len(pairs)
    mean_b = math.fsum(b for _, b in pairs) / len(pairs)
    a_square = math.fsum((a - mean_a) ** 2 for a, _ in pairs)
    b_square = math.fsum((b - mean_b) ** 2 for _, b in pairs)
    both = math.fsum((a - mean_a) * (b - mean_b) for a, b in pairs)
    # Rounding alone leaves about 1e-32 of the square of the largest value.
    least = 1e-24 * max(1.0, *(max(abs(a), abs(b)) for a, b in pairs)) ** 2
    if a_square <= least or b_square <= least:
        return None
    return max(-1.0, min(1.0, both / math.sqrt(a_square * b_square)))


def corrected_item_total(items: Sequence[Points], which: int) -> float | None:
    """Correlate one exercise with the sum of all the others.

    Leaving the exercise out of the total keeps it from correlating with itself (Henrysson 1963,
    Correction of item-total correlations in item analysis, Psychometrika 28, 211–218). What is not
    graded counts nothing in the sum.
    """
    if len(items) < 2:
        return None
    rest = [
        math.fsum(p for i, p in enumerate(row) if i != which and p is not None)
        for row in zip(*items, strict=True)
    ]
    return correlation(items[which], rest)


def upper_lower(points: Points, totals: Sequence[float], most: float) -> float | None:
    """Return the mean of the best 27 % less that of the weakest 27 %, as a share of the points.

    The groups are those of the totals (Kelley 1939, The selection of upper and lower groups for the
    validation of test items, J. Educational Psychology 30, 17–24). Students with equal totals at
    the edge of a group enter it in equal parts, so that no order of names decides.
    """
    pairs = [(t, p) for t, p in zip(totals, points, strict=True) if p is not None]
    if len(pairs) < FEWEST or most <= 0 or len({t for t, _ in pairs}) == 1:
        return None
    size = max(1, round(TAIL * len(pairs)))
    upper = _mean_of_first(sorted(pairs, key=lambda pair: -pair[0]), size)
    lower = _mean_of_first(sorted(pairs, key=lambda pair: pair[0]), size)
    return (upper - lower) / most


def _mean_of_first(pairs: list[tuple[float, float]], size: int) -> float:
    """Mean points of the first `size` students; ties at the edge share the places left."""
    edge = pairs[size - 1][0]
    inside = [p for t, p in pairs[:size] if t != edge]
    tied = [p for t, p in pairs if t == edge]
    share = (size - len(inside)) * math.fsum(tied) / len(tied)
    return (math.fsum(inside) + share) / size


def histogram(
    values: Sequence[float], most: float, bins: int = 20
) -> list[tuple[float, float, int]]:
    """Count values in equal bins from 0 to `most`: (from, to, count).

    A bin holds its lower edge, the last one its upper edge too; more than `most` (extra credit)
    goes into the last. No more bins than points, so that each holds a whole point at least.
    """
    if most <= 0:
        return []
    bins = max(1, min(bins, math.ceil(most)))
    counts = [0] * bins
    for value in values:
        counts[max(0, min(bins - 1, int(value * bins / most + 1e-9)))] += 1
    return [(i * most / bins, (i + 1) * most / bins, count) for i, count in enumerate(counts)]
