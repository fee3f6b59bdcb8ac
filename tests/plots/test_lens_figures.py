"""The figures of lesson 9: lengths that the eye compares must be in the ratio of the numbers."""

from __future__ import annotations

from typing import Any, cast

import pytest

from course_lib.plots.lenses import bit_budgets

BUDGETS = {"small": (6.4e6, 2e7), "large": (3.2e9, 1e10)}


def test_the_bars_of_each_model_start_at_0_and_are_as_long_as_its_bits() -> None:
    figure, _ = cast(Any, bit_budgets).__wrapped__(BUDGETS)
    assert len(figure.axes) == len(BUDGETS)
    for axes, (parameters, data) in zip(figure.axes, BUDGETS.values(), strict=True):
        assert axes.get_xscale() == "linear"
        assert axes.get_xlim()[0] == 0
        first, second = (bar.get_width() for bar in axes.patches)
        assert second / first == pytest.approx(data / parameters)
        assert second < axes.get_xlim()[1]


def test_the_words_give_both_numbers_and_their_ratio() -> None:
    alt = bit_budgets(BUDGETS).alt
    assert "small: 6.40e+06 bits of parameters, 2.00e+07 bits of text, 3.125 times" in alt
    assert "large: 3.20e+09 bits of parameters" in alt
