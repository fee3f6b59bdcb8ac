"""The figures of lesson 5: each is a PNG, and its alt text carries the numbers."""

import numpy as np

from course_lib.plots import initialisation as plots

PNG = b"\x89PNG\r\n"


def test_variance_lines_say_where_each_line_starts_and_ends():
    figure = plots.variance_lines({"naive": [1.0, 768.0, 589_824.0], "kept": [1, 1, 1]}, "title")
    assert figure.png.startswith(PNG)
    assert "naive: 7.7e+02 after one layer, 5.9e+05 after 2" in figure.alt
    assert "kept: 1 after one layer, 1 after 2" in figure.alt


def test_std_by_width_names_both_crossings_and_the_sizes():
    figure = plots.std_by_width({"small": 768, "XL": 1600})
    assert figure.png.startswith(PNG)
    for words in ("d = 1,000", "d = 2,500", "768 (small)", "1,600 (XL)"):
        assert words in figure.alt


def test_gain_along_depth_gives_both_curves():
    figure = plots.gain_along_depth([16.2, 39.5, 51.5], [16.2, 20.2, 22.3], 22.6, N=2)
    assert figure.png.startswith(PNG)
    assert "16.2, 39.5, 51.5" in figure.alt
    assert "16.2, 20.2, 22.3" in figure.alt
    assert "22.6" in figure.alt


def test_growth_by_depth_gives_both_curves():
    figure = plots.growth_by_depth([2, 8, 32], [1.2, 1.21, 1.19], [1.7, 3.0, 6.1])
    assert figure.png.startswith(PNG)
    assert "1.70, 3.00, 6.10" in figure.alt
    assert "1.20, 1.21, 1.19" in figure.alt


def test_what_each_block_changes_gives_the_ends_of_the_four_lines():
    changes = {"without": np.geomspace(0.9, 0.12, 12), "with": np.full(12, 0.09)}
    likeness = {"without": np.linspace(1, 0.13, 13), "with": np.linspace(1, 0.82, 13)}
    figure = plots.what_each_block_changes(changes, likeness)
    assert figure.png.startswith(PNG)
    assert "0.90 to 0.12" in figure.alt
    assert "0.09 to 0.09" in figure.alt
    assert "0.13" in figure.alt
    assert "0.82" in figure.alt
