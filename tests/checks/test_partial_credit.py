"""A tick stands only beside what is right: points agree with the notes beside them."""

import numpy as np
import pytest

from course_lib import tied
from course_lib.checks import EXERCISES, check
from course_lib.checks.exercise import make_variant


def ticked(report):
    return {part.title for part in report.parts if part.passed}


def ids_of(report):
    return [d.id for d in report.diagnoses]


def mistaken(name, ident):
    """Return a function that makes the first form of a named mistake."""
    exercise = EXERCISES[name]
    (s,) = (s for s in exercise.switches if s.id == ident)
    return lambda *args: make_variant(exercise, s.forms[0]).answer(*args)


def attention(Q, K, V, fill=-np.inf, stable=True):
    T, d_k = Q.shape[-2:]
    s = np.where(np.tri(T, dtype=bool), Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), fill)
    w = np.exp(s - s.max(-1, keepdims=True)) if stable else np.exp(s)
    return w / w.sum(-1, keepdims=True) @ V


@pytest.mark.parametrize("name", EXERCISES)
def test_a_missing_return_is_told_once_with_the_contract(name):
    report = check(name, lambda *args, **kwargs: None)
    assert ids_of(report) == ["returns_none"]
    assert report.diagnoses[0].title == "Not written yet, or `return` is missing"
    assert EXERCISES[name].contract in report.diagnoses[0].message
    assert report.score == 0


def test_without_any_block_no_part_of_a_block_is_earned():
    report = check("gpt_logits", mistaken("gpt_logits", "no_blocks"))
    assert ids_of(report) == ["no_blocks"]
    assert report.score == 3
    assert "The MLP and its GELU" not in ticked(report)
    assert "The causal mask" not in ticked(report)
    assert "Layer norm: statistics, ε, gain and bias" in ticked(report)


def test_a_gradient_of_zeros_is_named_and_keeps_the_loss_alone():
    def function(E, A, idx, targets):
        return tied.tied_lm_loss_and_grad(E, A, idx, targets)[0], np.zeros_like(E)

    report = check("tied_lm_loss_and_grad", function)
    assert ids_of(report) == ["gradient_zero"]
    assert ticked(report) == {"The loss", "Inputs unchanged", "The same result on every call"}


@pytest.mark.parametrize(("kept", "lost"), [(1, "The loss"), (0, "Repeated ids")])
def test_what_is_not_returned_is_not_ticked(kept, lost):
    report = check("tied_lm_loss_and_grad", lambda *args: tied.tied_lm_loss_and_grad(*args)[kept])
    assert lost not in ticked(report)


@pytest.mark.parametrize("ident", ["tables_left_out", "swapped", "increase"])
def test_two_wrong_factors_earn_nothing(ident):
    assert check("growth_when_doubled", mistaken("growth_when_doubled", ident)).score == 0


def test_one_right_factor_is_kept():
    def growth_when_doubled(V, d, L):
        return make_variant(EXERCISES["growth_when_doubled"], {}).answer(V, d, L)[0], 2.0

    report = check("growth_when_doubled", growth_when_doubled)
    assert ticked(report) == {"Doubling the width"}


def test_an_array_of_two_factors_is_a_pair():
    def growth_when_doubled(V, d, L):
        return np.array(make_variant(EXERCISES["growth_when_doubled"], {}).answer(V, d, L))

    assert check("growth_when_doubled", growth_when_doubled).passed


def test_the_rule_of_thumb_earns_no_part_that_it_leaves_out():
    report = check(
        "count_gpt2_params", lambda V, T, d, L, tied=True, bias=True: 12 * L * d * d + V * d
    )
    assert ids_of(report) == ["rule_of_thumb"]
    assert ticked(report) == set()


@pytest.mark.parametrize("wrong", [{"stable": False}, {"fill": -1e4}])
def test_trouble_at_large_scores_only_costs_the_half_point_of_the_statement(wrong):
    report = check("causal_attention", lambda Q, K, V: attention(Q, K, V, **wrong))
    assert report.score == report.max_score - 0.5
    assert "Stable at large scores, nothing leaks" not in ticked(report)


@pytest.mark.parametrize("name", ["causal_attention", "gpt_logits"])
def test_without_a_mask_the_future_leaks(name):
    report = check(name, mistaken(name, "no_mask"))
    assert "Stable at large scores, nothing leaks" not in ticked(report)
    assert "Inputs unchanged" in ticked(report)


def test_without_epsilon_rows_of_equal_features_are_not_ticked():
    report = check("layer_norm", mistaken("layer_norm", "ln_no_eps"))
    assert "Rows of equal features, features far from zero" not in ticked(report)
    assert "Inputs unchanged" in ticked(report)
