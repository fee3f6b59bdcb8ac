"""Figures of lessons 7 and 8: what they say in words, and the numbers they stand on."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from course_lib.layers import gelu
from course_lib.plots import gpt2 as plots

FIGURES = {
    "gpt2_box_by_box": plots.gpt2_box_by_box,
    "head_split": plots.head_split,
    "score_variance": lambda: plots.score_variance([4, 16, 64], [4.0, 16.2, 63.5]),
    "gelu_forms": plots.gelu_forms,
    "tolerance_scale": lambda: plots.tolerance_scale({"large": 2.5, "small": 0.0013}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_a_picture_that_comes_out_the_same_twice(name):
    first, second = FIGURES[name](), FIGURES[name]()
    pixels = np.asarray(Image.open(io.BytesIO(first.png)).convert("L"))

    assert pixels.std() > 5  # something is drawn
    assert first.png == second.png
    assert len(first.alt.split()) >= 25


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.0, 0.0),
        (1.0, 0.8413447460685429),  # Φ(1), from tables of the normal distribution
        (-1.0, -0.15865525393145707),
        (2.0, 1.9544997361036416),
        (-40.0, 0.0),
        (40.0, 40.0),
    ],
)
def test_exact_gelu_is_x_times_the_normal_distribution(x, expected):
    assert plots.exact_gelu(np.array([x]))[0] == pytest.approx(expected, abs=1e-15)


def test_exact_gelu_keeps_the_shape_and_answers_in_float64():
    answer = plots.exact_gelu(np.zeros((2, 3, 4), dtype=np.float32))
    assert answer.shape == (2, 3, 4)
    assert answer.dtype == np.float64


def test_exact_gelu_agrees_with_pytorch_and_the_tanh_form_does_not():
    torch = pytest.importorskip("torch")
    x = np.linspace(-6, 6, 501)
    theirs = torch.nn.functional.gelu(torch.from_numpy(x)).numpy()

    assert np.abs(plots.exact_gelu(x) - theirs).max() < 1e-14
    assert np.abs(gelu(x) - theirs).max() > 1e-4


def test_the_gelu_figure_names_the_largest_difference_and_where_it_is():
    alt = plots.gelu_forms().alt
    size, place = map(float, re.search(r"at most (\S+) at x = ±(\d\.\d+)", alt).groups())

    at_place = gelu(np.array([place])) - plots.exact_gelu(np.array([place]))
    assert at_place[0] == pytest.approx(size, abs=1e-6)
    grid = np.linspace(-8, 8, 3001)
    assert np.abs(gelu(grid) - plots.exact_gelu(grid)).max() == pytest.approx(size, abs=1e-6)


def test_the_head_split_figure_says_which_positions_a_straight_reshape_gives_each_head():
    alt = plots.head_split(T=6, d=6, n_head=3).alt
    assert "head 0 holds features 0 to 1 of every position" in alt
    assert "head 0 holds all features of positions [0, 1] only" in alt
    assert "head 2 holds all features of positions [4, 5] only" in alt


def test_the_tolerance_figure_orders_the_mistakes_and_shows_what_it_was_given():
    alt = plots.tolerance_scale({"large": 2.5, "small": 0.0013}).alt
    assert alt.index("small 0.0013") < alt.index("large 2.5")


def test_the_score_figure_reports_the_measured_variances():
    alt = plots.score_variance([4, 64], [3.9, 65.2], n_head=8).alt
    assert "3.9 at d_k = 4, 65.2 at d_k = 64" in alt
    assert "1/8" in alt
