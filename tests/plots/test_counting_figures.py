"""The figures of lessons 3 and 4: their alt text carries the numbers, their pixels too."""

from collections.abc import Callable
from dataclasses import replace

import matplotlib as mpl
import pytest

from course_lib.counting import MODELS, ModelConfig, flops_by_part
from course_lib.counting.components import params_by_component
from course_lib.plots.counting import (
    block_matrices,
    component_bars,
    named_counts,
    shares_by_model,
    short,
    tick,
)
from course_lib.plots.flops import attention_share_curves, budget_bars, crossover
from course_lib.plots.style import LessonFigure

GPT2 = MODELS["gpt2"]

# Each figure, drawn for one model, so that a test can draw it for another.
FIGURES: dict[str, Callable[[ModelConfig], LessonFigure]] = {
    "block_matrices": block_matrices,
    "component_bars": lambda c: component_bars(params_by_component(c), "title"),
    "shares_by_model": lambda c: shares_by_model([c], "title"),
    "named_counts": lambda c: named_counts(params_by_component(c), "title", "parameters"),
    "budget_bars": lambda c: budget_bars(flops_by_part(c), "title"),
    "crossover": lambda c: crossover(c.d, c.T, "model"),
    "attention_share_curves": lambda c: attention_share_curves(c, (4_096, 32_768)),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_twice_is_the_same_to_the_byte(name):
    first = FIGURES[name](GPT2)
    with mpl.rc_context({"font.size": 30, "figure.dpi": 50}):  # a reader's own settings
        second = FIGURES[name](GPT2)
    assert first.png == second.png
    assert first.alt == second.alt


@pytest.mark.parametrize("name", FIGURES)
def test_another_model_is_another_picture_and_another_description(name):
    # one head of keys and values, one more MLP column, and a smaller width: all figures see one
    other = replace(GPT2, V=50_304, d=640, h=10, d_k=64, d_ff=3_073, h_kv=1, published=None)
    assert FIGURES[name](GPT2).png != FIGURES[name](other).png
    assert FIGURES[name](GPT2).alt != FIGURES[name](other).alt


def test_one_parameter_more_shows_in_the_bars():
    counts = params_by_component(GPT2)
    one_more = counts | {"final norm": counts["final norm"] + 1}
    assert component_bars(counts, "t").png != component_bars(one_more, "t").png


@pytest.mark.parametrize(
    ("figure", "numbers"),
    [
        (
            lambda: block_matrices(GPT2, MODELS["llama 3 8b"]),
            ["12 d² + 13 d", "4 d² attention", "13 d² + 2 d", "W_K 0.25", "W_gate 3.5"],
        ),
        (
            lambda: component_bars(params_by_component(MODELS["toy"]), "Toy"),
            ["3,200 (1.6 %)", "positions 0 (0 %)", "198,912 (96.8 %)", "final norm 128", "205,440"],
        ),
        (
            lambda: component_bars(params_by_component(GPT2.without_attention_biases()), "GPT-2"),
            ["38,597,376 (31.0 %)", "85,017,600 (68.3 %)", "under 0.1 %", "124,402,944 in all"],
        ),
        (
            lambda: shares_by_model([GPT2, MODELS["gpt2-xl"]], "Shares"),
            ["124,439,808", "token embedding 31.0 %", "1,557,611,200", "token embedding 5.2 %"],
        ),
        (
            lambda: named_counts({"hub": 137_022_720, "released": 124_439_808}, "Two", "n", "hub"),
            ["released: 124,439,808; hub: 137,022,720", "Highlighted: hub"],
        ),
        (
            lambda: budget_bars(flops_by_part(GPT2), "Budget"),
            ["lookup 0", "mlp 113,246,208 (39.8 %)", "head 77,194,752", "matrix 37,748,736"],
        ),
        (lambda: crossover(768, 1_024, "GPT-2 small"), ["9,437,184", "3,072", "6,143", "1,024"]),
        (
            lambda: attention_share_curves(MODELS["gpt2-medium"], (4_096, 32_768, 131_072)),
            ["36.3 % at T = 4,096", "82.0 %", "94.8 %", "90 % is passed at T = 64,720", "69.5 %"],
        ),
    ],
)
def test_alt_text_carries_the_numbers(figure, numbers):
    alt = figure().alt
    assert [n for n in numbers if n not in alt] == []


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (124_439_808, "124M"),
        (38_597_376, "38.6M"),
        (1_557_611_200, "1.56B"),
        (38_400, "38.4K"),
        (999_600, "1.00M"),
        (128, "128"),
    ],
)
def test_short_counts_have_three_digits(n, text):
    assert short(n) == text


def test_ticks_have_no_needless_digits():
    assert [tick(n) for n in (0, 50_000, 2_500_000, 1e9)] == ["0", "50K", "2.5M", "1B"]
