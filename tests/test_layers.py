"""The layers by themselves: the properties that their formulas promise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.layers import (
    attention_weights,
    causal_attention,
    causal_mask,
    gelu,
    layer_norm,
    log_softmax,
    merge_heads,
    softmax,
    split_heads,
)

SETTINGS = settings(max_examples=40)
seeds = st.integers(0, 2**32 - 1)


def normal(seed, *shape, scale=1.0):
    return np.random.default_rng(seed).normal(0, scale, shape)


# ---------------------------------------------------------------- layer norm


@SETTINGS
@given(seed=seeds, d=st.integers(2, 40), scale=st.floats(0.1, 1e6), shift=st.floats(-100, 100))
def test_layer_norm_gives_each_vector_mean_zero_and_population_variance_one(seed, d, scale, shift):
    x = normal(seed, 3, d, scale=scale) + shift
    out = layer_norm(x, eps=0.0)
    np.testing.assert_allclose(out.mean(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose((out**2).mean(axis=-1), 1, rtol=1e-9)


def test_layer_norm_on_numbers_worked_out_by_hand():
    # mean 3, population variance 2, so 2 / sqrt(2.00001) at the ends
    out = layer_norm(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    expected = np.array([-2, -1, 0, 1, 2]) / math.sqrt(2 + 1e-5)
    np.testing.assert_allclose(out, expected, rtol=1e-15, atol=0)


def test_layer_norm_adds_eps_inside_the_root():
    # a vector of variance eps comes out with variance 1/2; with eps outside it would be nearly 1
    x = math.sqrt(1e-5) * np.array([1.0, -1.0])
    np.testing.assert_allclose(layer_norm(x), [math.sqrt(0.5), -math.sqrt(0.5)], rtol=1e-12)


@SETTINGS
@given(seed=seeds, a=st.floats(0.01, 1e4), c=st.floats(-100, 100))
def test_layer_norm_forgets_scale_and_shift(seed, a, c):
    x = normal(seed, 4, 16)
    np.testing.assert_allclose(layer_norm(a * x + c, eps=0.0), layer_norm(x, eps=0.0), atol=1e-7)


def test_layer_norm_of_a_constant_vector_is_the_bias():
    g, b = normal(1, 8), normal(2, 8)
    np.testing.assert_array_equal(layer_norm(np.full((2, 8), 7.0), g, b), np.stack([b, b]))


def test_layer_norm_applies_gain_and_bias_to_features_not_positions():
    x, g, b = normal(0, 5, 5), normal(1, 5), normal(2, 5)
    plain = layer_norm(x)
    for t in range(5):
        for j in range(5):
            assert layer_norm(x, g, b)[t, j] == g[j] * plain[t, j] + b[j]


@pytest.mark.parametrize(("dtype", "huge"), [(np.float32, 1e25), (np.float64, 1e200)])
def test_layer_norm_shows_an_overflow_instead_of_returning_zeros(dtype, huge):
    x = np.array([[1, 2, 3], [huge, -huge, huge]], dtype=dtype)
    with np.errstate(over="ignore"):
        out = layer_norm(x)
    assert np.isfinite(out[0]).all()
    assert np.isnan(out[1]).all()


# ---------------------------------------------------------------- gelu


def exact_gelu(x):
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def test_gelu_is_near_the_exact_form_and_is_not_the_exact_form():
    x = np.linspace(-8, 8, 160_001)
    difference = np.abs(gelu(x) - [exact_gelu(float(v)) for v in x])
    # the largest gap between the tanh form and x·Φ(x), 4.73e-4, lies at |x| = 2.699
    assert difference.max() == pytest.approx(4.732e-4, rel=1e-3)
    assert abs(x[difference.argmax()]) == pytest.approx(2.699, abs=1e-3)


def test_gelu_at_known_points():
    x = np.array([0.0, 1.0, -1.0, 2.0, 100.0, -100.0])
    expected = [0, 0.8411919906082768, -0.15880800939172324, 1.954597694087775, 100, 0]
    np.testing.assert_allclose(gelu(x), expected, rtol=1e-14, atol=1e-16)


@SETTINGS
@given(x=st.floats(-50, 50))
def test_gelu_of_x_and_of_minus_x_differ_by_x(x):
    at = gelu(np.array([x, -x]))
    assert at[0] - at[1] == pytest.approx(x, abs=1e-12)


# ---------------------------------------------------------------- softmax


@SETTINGS
@given(
    seed=seeds,
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple),
    scale=st.sampled_from([1e-3, 1.0, 1e2, 1e4, 1e300]),
)
def test_softmax_rows_are_probabilities_at_any_scale(seed, shape, scale):
    z = normal(seed, *shape, scale=scale)
    p = softmax(z)
    assert p.shape == shape
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=-1), 1, rtol=1e-14)
    assert (p.argmax(axis=-1) == z.argmax(axis=-1)).all()


@SETTINGS
@given(seed=seeds, c=st.floats(-1e4, 1e4))
def test_softmax_does_not_see_a_shift(seed, c):
    z = normal(seed, 3, 7)
    np.testing.assert_allclose(softmax(z + c), softmax(z), rtol=1e-10)


def test_softmax_on_fractions_known_by_hand():
    np.testing.assert_allclose(softmax(np.log([1.0, 2.0, 5.0])), [1 / 8, 2 / 8, 5 / 8], rtol=1e-15)
    np.testing.assert_array_equal(softmax(np.array([1e4, -1e4, 1e4])), [0.5, 0.0, 0.5])


def test_log_softmax_is_exact_where_the_probability_is_too_small_for_a_float():
    np.testing.assert_array_equal(log_softmax(np.array([[0.0, 5000.0]])), [[-5000.0, 0.0]])
    z = normal(3, 4, 9)
    np.testing.assert_allclose(np.exp(log_softmax(z)), softmax(z), rtol=1e-14)


# ---------------------------------------------------------------- heads and attention


@SETTINGS
@given(
    batch=st.lists(st.integers(1, 3), max_size=2),
    T=st.integers(1, 6),
    h=st.integers(1, 5),
    d_k=st.integers(1, 5),
)
def test_each_head_owns_its_columns_and_merging_undoes_splitting(batch, T, h, d_k):
    x = np.arange(math.prod([*batch, T, h * d_k]), dtype=float).reshape(*batch, T, h * d_k)
    heads = split_heads(x, h)
    assert heads.shape == (*batch, h, T, d_k)
    for i in range(h):
        np.testing.assert_array_equal(heads[..., i, :, :], x[..., i * d_k : (i + 1) * d_k])
    np.testing.assert_array_equal(merge_heads(heads), x)


def test_causal_mask_is_zero_up_to_the_diagonal_and_minus_infinity_above():
    mask = causal_mask(4, np.float32)
    assert mask.dtype == np.float32
    i = -np.inf
    np.testing.assert_array_equal(mask, [[0, i, i, i], [0, 0, i, i], [0, 0, 0, i], [0, 0, 0, 0]])


@SETTINGS
@given(seed=seeds, T=st.integers(1, 9), d_k=st.integers(1, 6), scale=st.sampled_from([1, 100, 1e4]))
def test_no_weight_above_the_diagonal_at_any_score(seed, T, d_k, scale):
    Q, K = normal(seed, 2, 3, T, d_k, scale=scale), normal(seed + 1, 2, 3, T, d_k, scale=scale)
    weights = attention_weights(Q, K, causal_mask(T))
    assert (weights[..., ~np.tri(T, dtype=bool)] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


def test_attention_weights_scale_by_the_root_of_the_head_size():
    # one query against keys 0 and 1: scores 0 and 9/3, so weights 1 : e³
    Q, K = np.ones((2, 9)), np.stack([np.zeros(9), np.ones(9)])
    np.testing.assert_allclose(
        attention_weights(Q, K, causal_mask(2)), [[1, 0], [1 / (1 + np.e**3), 1 / (1 + np.e**-3)]]
    )


def test_attention_without_preference_is_the_mean_of_what_came_before():
    V = normal(5, 6, 4)
    zero = np.zeros((6, 4))
    expected = [V[: t + 1].mean(axis=0) for t in range(6)]
    np.testing.assert_allclose(causal_attention(zero, normal(6, 6, 4), V), expected, rtol=1e-13)
    expected = [V.mean(axis=0)] * 6
    mask = np.zeros((6, 6))
    np.testing.assert_allclose(causal_attention(zero, zero, V, mask), expected, rtol=1e-13)


def test_the_first_position_sees_itself_only():
    Q, K, V = normal(1, 5, 3), normal(2, 5, 3), normal(3, 5, 3)
    np.testing.assert_array_equal(causal_attention(Q, K, V)[0], V[0])


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "layer",
    [
        layer_norm,
        gelu,
        softmax,
        log_softmax,
        lambda x: layer_norm(x, x[0, 0], x[0, 1]),
        lambda x: split_heads(x, 3),
        lambda x: merge_heads(x[None]),
        lambda x: causal_attention(x, x, x),
        lambda x: attention_weights(x, x, causal_mask(5, x.dtype)),
    ],
)
def test_layers_keep_the_dtype_and_their_inputs(layer, dtype):
    x = normal(0, 2, 5, 6).astype(dtype)
    x.flags.writeable = False  # an attempt to write raises
    out = layer(x)
    assert out.dtype == dtype
    assert np.isfinite(out).all()
