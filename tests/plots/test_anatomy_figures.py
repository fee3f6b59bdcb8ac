"""The figures of lesson 11: their alt text carries the numbers, and they follow the model."""

from dataclasses import replace

import pytest

from course_lib.counting import MODELS
from course_lib.plots.anatomy import (
    attention_weights,
    block_wirings,
    model_parts,
    needed_T,
    scores_against_weights,
    wiring,
)

GPT2 = MODELS["gpt2"]


def test_every_part_of_gpt2_small_stands_in_the_description():
    alt = model_parts(GPT2).alt
    for number in ("38,597,376", "786,432", "28,348,416", "56,669,184", "2,362,368", "124,439,808"):
        assert number in alt


@pytest.mark.parametrize(
    ("name", "T"), [("gpt2", 1537), ("Pythia 14M", 257), ("Llama 3.1 8B", 6477)]
)
def test_the_length_at_which_scores_outnumber_the_weights(name, T):
    config = MODELS[name]
    assert needed_T(config) == T
    assert (T - 1) ** 2 <= attention_weights(config) < T**2


def test_out_of_reach_is_said():
    assert "1,537 on, which it cannot read" in scores_against_weights([GPT2]).alt
    assert "cannot" not in scores_against_weights([MODELS["Pythia 14M"]]).alt


@pytest.mark.parametrize(
    ("name", "lanes", "on_stream"),
    [
        ("gpt2", [(("norm 1", "attention"),), (("norm 2", "MLP"),)], [(), ()]),
        ("gpt-1", [(("attention",),), (("MLP",),)], [("norm 1",), ("norm 2",)]),
        ("phi-2", [(("attention",), ("MLP",))], [()]),
        ("gpt-neox", [(("norm 1", "attention"), ("norm 2", "MLP"))], [()]),
        ("olmo 2 1b", [(("attention", "norm 1"),), (("MLP", "norm 2"),)], [(), ()]),
    ],
)
def test_norms_stand_where_the_model_has_them(name, lanes, on_stream):
    steps = wiring(MODELS[name])
    assert [step.lanes for step in steps] == lanes
    assert [step.on_stream for step in steps] == on_stream


@pytest.mark.parametrize(
    "draw", [model_parts, lambda c: scores_against_weights([c]), lambda c: block_wirings([c])]
)
def test_a_figure_is_the_same_twice_and_another_for_another_model(draw):
    other = replace(GPT2, L=13, h=6, h_kv=3, placement="post", name="other", published=None)
    assert draw(GPT2).png == draw(GPT2).png
    assert draw(GPT2).png != draw(other).png
    assert draw(GPT2).alt != draw(other).alt
