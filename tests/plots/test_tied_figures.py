"""The figures of lesson 6: each is a PNG, and its alt text carries the numbers."""

import numpy as np

from course_lib.layers import softmax
from course_lib.plots import tied as plots

PNG = b"\x89PNG\r\n"
SCORES = np.random.default_rng(0).standard_normal(20)


def test_filter_bank_names_the_best_token():
    figure = plots.matched_filter_bank(SCORES)
    assert figure.png.startswith(PNG)
    assert f"token {SCORES.argmax()} with {SCORES.max():.6f}" in figure.alt


def test_temperatures_give_the_best_probability_of_each():
    figure = plots.temperatures(SCORES, (0.5, 1, 2))
    assert figure.png.startswith(PNG)
    for tau in (0.5, 1, 2):
        assert f"{softmax(SCORES / tau).max():.1%} at temperature {tau:g}" in figure.alt


def test_gradient_by_row_says_what_each_row_is_in_the_text():
    head, lookup = np.full((4, 1), 0.25), np.array([[0.5], [0], [0], [0.125]])
    figure = plots.gradient_by_row(head, lookup, idx=[0, 0, 3], targets=[3, 1, 1])
    assert figure.png.startswith(PNG)
    for words in (
        "row 0 (read × 2) 0.250 and 0.500",
        "row 1 (target × 2) 0.250 and 0.000",
        "row 2 (neither) 0.250 and 0.000",
        "row 3 (read × 1, target × 1) 0.250 and 0.125",
    ):
        assert words in figure.alt


def test_drift_gives_distances_and_scores():
    figure = plots.unseen_row_drift([0, 0.5, 1.5], [0, 0, 0], [0.1, -0.1, -0.3], [0, 0.1, 0.2])
    assert figure.png.startswith(PNG)
    assert "moves 1.50 away" in figure.alt
    assert "0.10 to -0.30" in figure.alt


def test_predictions_after_seen_and_unseen():
    figure = plots.after_seen_and_unseen([0.1, 0.9], [0.4, 0.6], seen_id=0, unseen_id=1)
    assert figure.png.startswith(PNG)
    assert "after token 0 (read often) 90% on token 1" in figure.alt
    assert "after token 1 (never read) 60% on token 1" in figure.alt


def test_table_shares_come_largest_first_with_the_kind_of_head():
    figure = plots.table_shares({"big": 0.02, "small": 0.31}, {"big": False, "small": True})
    assert figure.png.startswith(PNG)
    assert "small 31.0 % (tied), big 2.0 % (untied)" in figure.alt
