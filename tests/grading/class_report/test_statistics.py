"""The figures are those that textbooks and NumPy give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.grading.class_report.statistics import (
    corrected_item_total,
    correlation,
    histogram,
    mean,
    median,
    spread,
    upper_lower,
)

SCORES = st.lists(st.integers(0, 20).map(lambda n: n / 4), min_size=6, max_size=40)


@given(SCORES)
def test_centre_and_spread_are_numpys(values):
    assert mean(values) == pytest.approx(np.mean(values))
    assert median(values) == pytest.approx(np.median(values))
    assert spread(values) == pytest.approx(np.std(values, ddof=1))


def test_what_is_not_graded_does_not_count():
    assert mean([1, None, 3]) == 2
    assert median([1, None, None, 9, 3]) == 3
    assert spread([1, None, 3]) == pytest.approx(2**0.5)


def test_nothing_has_no_centre():
    for figure in (mean, median, spread):
        assert figure([]) is None
        assert figure([None]) is None
    assert spread([4.0]) is None
    assert mean([4.0]) == median([4.0]) == 4


@given(SCORES, st.randoms(use_true_random=False))
def test_correlation_is_numpys(values, random):
    other = [value + random.choice((0, 1, 5)) for value in values]
    expected = None
    if len(set(values)) > 1 and len(set(other)) > 1:
        expected = pytest.approx(np.corrcoef(values, other)[0, 1], abs=1e-9)
    assert correlation(values, other) == expected


def test_correlation_of_what_does_not_vary_or_is_too_few_is_no_figure():
    assert correlation([0.1] * 9, list(range(9))) is None
    assert correlation([1.0, 2.0], [1.0, 2.0]) is None
    assert correlation([1, 2, 3, 4, None], [1, 2, 3, 4, 5]) is None


def test_item_total_leaves_the_item_out_of_the_total():
    rng = np.random.default_rng(3)
    skill = rng.normal(size=200)
    items = [(skill + rng.normal(size=200) > 0).astype(float).tolist() for _ in range(5)]
    table = np.array(items)
    for which in range(5):
        rest = table.sum(0) - table[which]
        expected = np.corrcoef(table[which], rest)[0, 1]
        assert corrected_item_total(items, which) == pytest.approx(expected)
        assert expected < np.corrcoef(table[which], table.sum(0))[0, 1]


def test_a_single_item_has_no_rest_to_correlate_with():
    assert corrected_item_total([[0.0, 1, 2, 3, 4, 5]], 0) is None


def test_upper_lower_of_a_class_of_one_hundred():
    """27 best and 27 weakest: 24 and 9 of them are right, (24 − 9)/27."""
    totals = list(range(100))
    points = [0.0] * 100
    for number in [*range(9), *range(27, 60), *range(73, 97)]:
        points[number] = 2.0
    assert upper_lower(points, totals, 2) == pytest.approx((24 - 9) / 27)


def test_upper_lower_is_one_for_a_perfect_item_and_minus_one_for_a_reversed_one():
    totals = list(range(11))
    assert upper_lower([0.0] * 5 + [3.0] * 6, totals, 3) == 1
    assert upper_lower([3.0] * 5 + [0.0] * 6, totals, 3) == -1


@given(SCORES, st.randoms(use_true_random=False))
def test_upper_lower_does_not_depend_on_the_order_of_students(points, random):
    totals = [random.randint(0, 3) for _ in points]
    pairs = list(zip(points, totals, strict=True))
    random.shuffle(pairs)
    shuffled = upper_lower([p for p, _ in pairs], [t for _, t in pairs], 5)
    assert shuffled == pytest.approx(upper_lower(points, totals, 5))
    assert shuffled is None or -1 <= shuffled <= 1


def test_upper_lower_means_nothing_for_equal_totals_or_few_students():
    assert upper_lower([0.0, 1, 0, 1, 0, 1], [5] * 6, 1) is None
    assert upper_lower([0.0, 1], [1, 2], 1) is None
    assert upper_lower([], [], 1) is None
    assert upper_lower([0.0] * 9, list(range(9)), 0) is None


def test_every_total_is_in_one_bar():
    values = [0, 0.5, 30, 59.99, 60, 61.5]
    bins = histogram(values, 60)
    assert len(bins) == 20
    assert sum(count for _, _, count in bins) == len(values)
    assert bins[0][2] == 2
    assert bins[-1][2] == 3  # also what is above full marks
    assert histogram([1, 2, 3], 3) == [(0, 1, 0), (1, 2, 1), (2, 3, 2)]
    assert histogram([], 0) == []


def test_a_value_on_the_edge_between_bars_is_in_the_upper_one():
    """0.3 is 2.9999999999999996 tenths in binary."""
    for number in range(20):
        bins = histogram([number * 60 / 20], 60)
        assert bins[number][2] == 1
