"""Attention in blocks is softmax over the keys that a query may see, however large the scores."""

import numpy as np
import pytest

from course_lib.fast_gpt.blocked_attention import QUERY_BLOCK, attend_in_blocks
from course_lib.layers import causal_mask, softmax


def attended(q, k, v):
    q = q.copy()
    mask = causal_mask(QUERY_BLOCK, q.dtype)
    attend_in_blocks(q, k, v, np.empty(QUERY_BLOCK * len(k), q.dtype), mask)
    return q


def expected(q, k, v):
    unseen = np.arange(len(k)) > np.arange(len(q))[:, None] + len(k) - len(q)
    return softmax(np.where(unseen, -np.inf, q @ k.T)) @ v


@pytest.mark.parametrize("size", [1e-6, 1.0, 39.9, 40.1, 1e3, 1e5])
@pytest.mark.parametrize("direction", ["alike", "opposite", "any"])
@pytest.mark.parametrize(("T", "past"), [(1, 0), (130, 0), (130, 71)])
def test_scores_of_any_size(size, direction, T, past):
    """`size` is the largest |q|·|k|; queries and keys may all point one way, or opposite ways."""
    rng = np.random.default_rng(T + past)
    q, k, v = (rng.standard_normal((n, 16)) for n in (T, T + past, T + past))
    if direction != "any":
        k = q[0] * rng.uniform(0.5, 1, (T + past, 1))
        q = q[0] * rng.uniform(0.5, 1, (T, 1)) * (1 if direction == "alike" else -1)
    q *= size / (np.linalg.norm(q, axis=1).max() * np.linalg.norm(k, axis=1).max())
    np.testing.assert_allclose(
        attended(q, k, v), expected(q, k, v), rtol=0, atol=1e-15 * size + 1e-13
    )


@pytest.mark.parametrize("size", [1.0, 39.9, 40.1, 1e4])
def test_float32_scores_neither_overflow_nor_vanish(size):
    rng = np.random.default_rng(0)
    k = np.repeat(rng.standard_normal((1, 16)), 300, axis=0).astype(np.float32)
    v = rng.standard_normal((300, 16)).astype(np.float32)
    for sign in (1, -1):
        q = (sign * size * k / np.vecdot(k, k)[:, None]).astype(np.float32)
        means = np.cumsum(v, axis=0) / np.arange(1, 301, dtype=np.float32)[:, None]  # equal scores
        np.testing.assert_allclose(attended(q, k, v), means, rtol=0, atol=1e-5)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_shows_where_it_does_in_softmax(value):
    q, k, v = np.random.default_rng(0).standard_normal((3, 9, 4))
    k[3, 2] = value
    with np.errstate(invalid="ignore"):
        got, right = attended(q, k, v), expected(q, k, v)
    assert np.isnan(right).any()
    assert np.isnan(got[np.isnan(right)]).all()
