"""Scales of fresh weights, and what they do along the depth of a stack and of a residual stream."""

import math

import numpy as np
import pytest

from course_lib.gpt import gpt_logits, lm_head
from course_lib.gpt_parameters import init_gpt
from course_lib.initialisation import (
    activation_gain,
    he_std,
    identity,
    relative_changes,
    relu,
    residual_std,
    residual_stream,
    root_mean_square,
    scale_weights,
    variance_along_depth,
    weight_stds,
    xavier_std,
)
from course_lib.layers import gelu


def ids(V=56, B=4, T=32):
    return np.random.default_rng(3).integers(0, V, (B, T))


def growth(P):
    stream = residual_stream(P, ids(), n_head=4)
    return root_mean_square(stream[-1]) / root_mean_square(stream[0])


def test_published_scales():
    assert xavier_std(768, 768) == pytest.approx(1 / math.sqrt(768))
    assert xavier_std(1000, 4000) == pytest.approx(0.02)  # where GPT-2's constant is Xavier's
    assert he_std(512) == 0.0625
    assert residual_std(12) == pytest.approx(0.0041, abs=5e-5)  # GPT-2 small
    assert residual_std(48) == pytest.approx(0.0020, abs=5e-5)  # GPT-2 XL


def test_a_matrix_product_multiplies_the_variance_by_n_in_times_sigma_squared():
    measured = variance_along_depth(1.0, identity, width=768, depth=3)
    assert measured[1] / measured[0] == pytest.approx(768, rel=0.03)
    assert measured[3] / measured[0] == pytest.approx(768**3, rel=0.1)


def test_he_holds_the_level_of_relu_and_xavier_halves_it():
    he = variance_along_depth(he_std(512), relu, width=512, depth=12, batch=256)
    xavier = variance_along_depth(xavier_std(512, 512), relu, width=512, depth=12, batch=256)
    assert 0.5 < he[12] / he[1] < 2
    assert xavier[12] / xavier[1] == pytest.approx(he[12] / he[1] / 2**11)


def test_gains_of_the_activations():
    assert activation_gain(identity) == pytest.approx(1)
    assert activation_gain(relu, 7.0) == pytest.approx(0.5)
    assert activation_gain(np.tanh, 1e-6) == pytest.approx(1, abs=1e-4)
    assert activation_gain(gelu, 1e-6) == pytest.approx(0.25, abs=1e-3)  # x / 2 near 0
    assert activation_gain(gelu, 1e6) == pytest.approx(0.5, abs=1e-3)  # ReLU from afar
    z = np.random.default_rng(0).standard_normal(400_000)
    assert activation_gain(gelu) == pytest.approx(np.mean(gelu(z) ** 2), rel=0.01)


def test_the_gain_predicts_the_next_layer():
    v = variance_along_depth(he_std(1024), gelu, width=1024, depth=3, batch=256, seed=1)
    for layer in (1, 2):
        predicted = 2 * activation_gain(gelu, v[layer]) * v[layer]
        assert v[layer + 1] == pytest.approx(predicted, rel=0.05)


def test_the_stream_has_an_entry_for_each_branch_and_ends_in_the_logits():
    P = init_gpt(V=56, T=32, d=32, L=3, seed=2)
    stream = residual_stream(P, ids(), n_head=4)
    assert len(stream) == 1 + 2 * 3
    np.testing.assert_array_equal(lm_head(P, stream[-1]), gpt_logits(P, ids(), n_head=4))


def test_the_growth_with_the_rule_does_not_depend_on_the_depth():
    grown = [growth(init_gpt(V=56, T=32, d=64, L=L, seed=1)) for L in (2, 8, 32)]
    assert max(grown) / min(grown) < 1.08


def test_the_variance_without_the_rule_grows_in_step_with_the_depth():
    squares = []
    for L in (8, 32):
        P = scale_weights(init_gpt(V=56, T=32, d=64, L=L, seed=1), math.sqrt(2 * L))
        squares.append(growth(P) ** 2 - 1)  # what the branches added
    assert squares[1] / squares[0] == pytest.approx(4, rel=0.25)


def test_relative_changes_of_a_known_stream():
    x = np.ones((1, 2, 2))
    np.testing.assert_allclose(relative_changes([x, 3 * x, 3 * x, 6 * x]), [2, 0, 1])


def test_scaling_weights_leaves_the_model_it_was_given_alone():
    P = init_gpt(V=56, T=32, d=32, L=2)
    before = P["blocks"][1]["w_o"].copy()
    Q = scale_weights(P, 2.0)
    np.testing.assert_array_equal(P["blocks"][1]["w_o"], before)
    np.testing.assert_array_equal(Q["blocks"][1]["w_o"], 2 * before)
    assert Q["blocks"][0]["w_fc"] is P["blocks"][0]["w_fc"]


def test_the_table_of_stds_shows_whether_the_rule_was_applied():
    L = 8
    P = init_gpt(V=500, T=128, d=64, L=L)
    stds = weight_stds(P)
    assert set(stds) == {"wte", "wpe", "w_qkv", "w_o", "w_fc", "w_proj"}
    for name in ("wte", "wpe", "w_qkv", "w_fc"):
        assert stds[name] == pytest.approx(0.02, rel=0.03)
    for name in ("w_o", "w_proj"):
        assert stds[name] == pytest.approx(0.005, rel=0.03)
        assert weight_stds(scale_weights(P, 4.0))[name] == pytest.approx(0.02, rel=0.03)


@pytest.mark.parametrize(
    ("d", "n_head", "with_rule", "without"), [(64, 4, 0.98, 0.27), (768, 12, 0.37, 0.04)]
)
def test_the_echo_of_lesson_7_fades_without_the_rule_and_with_the_width(
    d, n_head, with_rule, without
):
    tokens = np.random.default_rng(14).integers(0, 56, size=(8, 65))[:, :-1]  # lesson 7's text
    P = init_gpt(V=56, T=64, d=d, L=12, seed=0, dtype=np.float32)
    seen = tokens if d == 64 else tokens[:2]  # the wide model takes its time
    for model, share in ((P, with_rule), (scale_weights(P, math.sqrt(24)), without)):
        echo = (gpt_logits(model, seen, n_head).argmax(axis=-1) == seen).mean()
        assert echo == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: he_std(0), ValueError, "n_in"),
        (lambda: xavier_std(3, 2.5), TypeError, "n_out"),
        (lambda: residual_std(12, std=-0.02), ValueError, "std"),
        (lambda: residual_std(12, std="small"), TypeError, "std"),
        (lambda: activation_gain(relu, variance=math.inf), ValueError, "variance"),
        (lambda: variance_along_depth(0.02, relu, width=8, depth=0), ValueError, "depth"),
        (lambda: scale_weights(init_gpt(5, 4, 4, 1), 2.0, ("c_proj",)), ValueError, "c_proj"),
        (lambda: residual_stream(init_gpt(5, 4, 4, 1), [[5]], 2), ValueError, "idx"),
    ],
)
def test_bad_input_names_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()
