"""The closed formulas in the lessons' symbols, and that they equal sums over the tensor list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.counting import (
    MODELS,
    ModelConfig,
    approximate_params,
    attention_flops_per_token,
    attention_matrix_flops,
    attention_share,
    context_for_attention_share,
    count_gpt2_params,
    crossover_context,
    crossover_depth,
    flops_by_part,
    flops_per_token,
    forward_flops,
    params,
    training_flops,
    tying_fraction,
    weight_flops_per_token,
)

SIZES = st.tuples(*[st.integers(1, 300)] * 3, st.integers(1, 6))
GPT3 = {"V": 50257, "T": 2048, "d": 12288, "L": 96}


@pytest.mark.parametrize(
    ("tied", "bias", "by_hand"),
    # V = 5, T = 3, d = 2, L = 1: tables 10 + 6; matrices 48; head 10.
    # biases: qkv 6, o 2, fc 8, proj 2, two LayerNorms 4 and the last one 2; gains 4 + 2.
    [
        (True, True, 10 + 6 + 48 + 6 + 24),
        (False, True, 10 + 6 + 48 + 6 + 24 + 10),
        (True, False, 10 + 6 + 48 + 6),
        (False, False, 10 + 6 + 48 + 6 + 10),
    ],
)
def test_each_case_of_tied_and_bias_by_hand(tied, bias, by_hand):
    assert count_gpt2_params(5, 3, 2, 1, tied=tied, bias=bias) == by_hand


def test_released_sizes():
    sizes = [(768, 12), (1024, 24), (1280, 36), (1600, 48)]
    counts = [count_gpt2_params(50257, 1024, d, L) for d, L in sizes]
    assert counts == [124_439_808, 354_823_168, 774_030_080, 1_557_611_200]
    assert count_gpt2_params(56, 64, 64, 2) == 107_776
    assert count_gpt2_params(50304, 1024, 768, 12) == 124_475_904
    assert count_gpt2_params(**GPT3) == 174_604_259_328


@given(SIZES, st.booleans(), st.booleans())
def test_count_equals_the_sum_over_the_tensors(sizes, tied, bias):
    V, T, d, L = sizes
    config = ModelConfig(V=V, T=T, d=d, L=L, h=1, tied=tied)
    if not bias:
        config = ModelConfig(
            V=V, T=T, d=d, L=L, h=1, tied=tied, biases=frozenset(), norm="LayerNorm without bias"
        )
    assert count_gpt2_params(V, T, d, L, tied, bias) == params(config)


@given(SIZES, st.booleans())
def test_flops_equal_the_sum_over_the_tensors(sizes, tied):
    V, T, d, L = sizes
    config = ModelConfig(V=V, T=T, d=d, L=L, h=1, tied=tied)
    assert flops_per_token(V, T, d, L) == forward_flops(config)
    assert flops_per_token(V, T, d, L, train=True) == training_flops(config)
    assert attention_flops_per_token(T, d, L) == attention_matrix_flops(config)
    assert weight_flops_per_token(V, d, L) == forward_flops(config, attention="none")
    assert attention_share(V, T, d, L) == attention_matrix_flops(config) / forward_flops(config)


@given(SIZES, st.booleans())
def test_approximation_is_the_matrices_of_the_list(sizes, tied):
    V, T, d, L = sizes
    exact = count_gpt2_params(V, T, d, L, tied=tied)
    assert exact - approximate_params(V, d, L, tied) == T * d + 13 * d * L + 2 * d


@given(SIZES, st.sampled_from([0.1, 0.5, 0.9, 0.999]))
def test_the_context_of_a_share_is_the_first_that_reaches_it(sizes, share):
    V, _, d, L = sizes
    T = context_for_attention_share(V, d, L, share)
    attention, weights = attention_flops_per_token(1, d, L), weight_flops_per_token(V, d, L)
    reaches = lambda T: T * attention * 1000 >= round(share * 1000) * (T * attention + weights)  # noqa: E731
    assert reaches(T)
    assert T == 1 or not reaches(T - 1)


def test_long_contexts_of_gpt2_small():
    shares = [attention_share(50257, T, 768, 12) for T in (1024, 4096, 32768, 131072)]
    terms = [37_748_736, 150_994_944, 1_207_959_552, 4_831_838_208]  # 4 T d L
    assert shares == [term / (247_064_064 + term) for term in terms]
    assert [round(100 * share, 2) for share in shares] == [13.25, 37.93, 83.02, 95.14]
    assert context_for_attention_share(50257, 768, 12) == 60_319


def test_crossovers():
    assert crossover_context(768) == 3072
    assert crossover_context(64) == 256
    assert crossover_context(768, causal=True) == 6143
    assert crossover_depth(50_000, 768) == pytest.approx(5.425347, abs=1e-6)


@pytest.mark.parametrize(("attention", "causal"), [("full", False), ("causal", True)])
def test_at_the_crossover_attention_matrices_cost_as_much_as_the_mlps(attention, causal):
    for name in ("gpt2", "toy", "tiny"):
        config = MODELS[name]
        T = crossover_context(config.d, causal=causal)
        parts = flops_by_part(config, T, attention=attention)
        assert parts["attention matrix"] == parts["mlp"]


def test_tying_gpt3_saves_a_third_of_a_percent():
    saved = 617_558_016  # V d
    assert approximate_params(50257, 12288, 96) == 174_563_733_504
    assert tying_fraction(50257, 12288, 96) == saved / 175_181_291_520
    assert tying_fraction(50257, 12288, 96, T=2048) == saved / 175_221_817_344
    assert round(100 * tying_fraction(50257, 12288, 96), 2) == 0.35
    assert round(100 * tying_fraction(50257, 768, 12, T=1024), 1) == 23.7


CALLS = {
    "count_gpt2_params": (count_gpt2_params, {"V": 5, "T": 3, "d": 2, "L": 1}),
    "flops_per_token": (flops_per_token, {"V": 5, "T": 3, "d": 2, "L": 1}),
    "attention_share": (attention_share, {"V": 5, "T": 3, "d": 2, "L": 1}),
    "context_for_attention_share": (context_for_attention_share, {"V": 5, "d": 2, "L": 1}),
    "approximate_params": (approximate_params, {"V": 5, "d": 2, "L": 1}),
    "crossover_context": (crossover_context, {"d": 2}),
    "crossover_depth": (crossover_depth, {"V": 5, "d": 2}),
    "tying_fraction": (tying_fraction, {"V": 5, "d": 2, "L": 1}),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("bad", [0, -1, 2.0, True, "2", None, np.float64(2), [2]])
def test_sizes_that_are_no_positive_whole_numbers_are_refused_by_name(name, bad):
    function, good = CALLS[name]
    function(**good)
    for argument in good:
        with pytest.raises(
            (TypeError, ValueError), match=f"^{argument} must be (an integer|at least 1), got"
        ):
            function(**(good | {argument: bad}))


def test_numpy_integers_are_welcome_and_the_answer_is_an_exact_int():
    count = count_gpt2_params(*np.array([50257, 2048, 12288, 96], dtype=np.int32))
    assert count == 174_604_259_328  # would overflow in int32
    assert type(count) is int


def test_flags_must_be_flags():
    with pytest.raises(TypeError, match="tied must be True or False, got 1"):
        count_gpt2_params(5, 3, 2, 1, tied=1)
    with pytest.raises(TypeError, match="bias must be True or False"):
        count_gpt2_params(5, 3, 2, 1, bias="no")
    with pytest.raises(TypeError, match="train must be True or False"):
        flops_per_token(5, 3, 2, 1, train=3)


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, float("nan"), float("inf"), "0.9", True, None])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises((TypeError, ValueError), match="share must"):
        context_for_attention_share(5, 2, 1, share)
