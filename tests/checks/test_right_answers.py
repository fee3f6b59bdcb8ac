"""Every right answer passes, in whatever style it is written."""

import math

import numpy as np
import pytest

import course_lib.counting as counting
from course_lib import gpt, gpt_parameters, layers, tied
from course_lib.checks import check, exercises, max_score

from .right_gpt_logits import STYLES


def growth_when_doubled(V, d, L):
    def total(d, L):
        return 12 * L * d * d + 2 * V * d

    return total(2 * d, L) / total(d, L), total(d, 2 * L) / total(d, L)


def rows_that_change(T, t, masked=True):
    return (np.arange(T) >= t) if masked else np.ones(T, dtype=bool)


RIGHT = {
    "layer_norm": layers.layer_norm,
    "causal_attention": layers.causal_attention,
    "gpt_logits": gpt.gpt_logits,
    "init_gpt": gpt_parameters.init_gpt,
    "tied_lm_loss_and_grad": tied.tied_lm_loss_and_grad,
    "count_gpt2_params": counting.count_gpt2_params,
    "flops_per_token": counting.flops_per_token,
    "attention_share": counting.attention_share,
    "context_for_attention_share": counting.context_for_attention_share,
    "crossover_context": counting.crossover_context,
    "crossover_depth": counting.crossover_depth,
    "tying_fraction": counting.tying_fraction,
    "growth_when_doubled": growth_when_doubled,
    "rows_that_change": rows_that_change,
}


def assert_full_marks(report):
    assert report.passed, str(report)
    assert report.score == report.max_score
    assert report.diagnoses == ()
    assert report.error is None


def test_every_exercise_has_a_right_answer_here():
    assert set(RIGHT) == set(exercises())


@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3, 2**128 - 1])
@pytest.mark.parametrize("name", RIGHT)
def test_the_engine_gets_full_marks(name, seed):
    report = check(name, RIGHT[name], seed=seed)
    assert_full_marks(report)
    assert report.max_score == max_score(name)


@pytest.mark.parametrize("seed", [None, 4, 5])
@pytest.mark.parametrize("style", STYLES)
def test_gpt_logits_in_any_style(style, seed):
    assert_full_marks(check("gpt_logits", STYLES[style], seed=seed))


# ---------------------------------------------------------------- the tied gradient


def parts_of_gradient(E, A, idx, targets):
    n = len(idx)
    X = E[idx]
    H = np.tanh(X @ A)
    Z = H @ E.T
    log_p = Z - np.logaddexp.reduce(Z, axis=1, keepdims=True)
    loss = -log_p[np.arange(n), targets].mean()
    dZ = (np.exp(log_p) - np.eye(len(E))[targets]) / n
    return loss, dZ.T @ H, ((dZ @ E) * (1 - H**2)) @ A.T


def with_add_at(E, A, idx, targets):
    loss, dE, dX = parts_of_gradient(E, A, idx, targets)
    np.add.at(dE, idx, dX)
    return loss, dE


def with_one_hot(E, A, idx, targets):
    loss, dE, dX = parts_of_gradient(E, A, idx, targets)
    return float(loss), dE + np.eye(len(E))[idx].T @ dX


def with_bincount(E, A, idx, targets):
    loss, dE, dX = parts_of_gradient(E, A, idx, targets)
    columns = [np.bincount(idx, weights=column, minlength=len(E)) for column in dX.T]
    return np.array(loss), dE + np.stack(columns, axis=1)


def with_a_loop(E, A, idx, targets):
    loss, dE, dX = parts_of_gradient(E, A, idx, targets)
    for t, i in enumerate(idx):
        dE[i] += dX[t]
    return [loss, dE]


def with_sorting(E, A, idx, targets):
    loss, dE, dX = parts_of_gradient(E, A, idx, targets)
    order = np.argsort(idx, kind="stable")
    ids, starts = np.unique(idx[order], return_index=True)
    dE[ids] += np.add.reduceat(dX[order], starts, axis=0)
    return loss, dE


@pytest.mark.parametrize("seed", [None, 7, 8, 9])
@pytest.mark.parametrize(
    "style", [with_add_at, with_one_hot, with_bincount, with_a_loop, with_sorting,
              tied.tied_lm_loss_and_grad]
)  # fmt: skip
def test_the_tied_gradient_in_any_style(style, seed):
    assert_full_marks(check("tied_lm_loss_and_grad", style, seed=seed))


# ---------------------------------------------------------------- the others


def count_by_listing(V, T, d, L, tied=True, bias=True):
    tensors = [(V, d), (T, d), (d,)] + ([(d,)] if bias else []) + ([] if tied else [(V, d)])
    for _ in range(L):
        tensors += [(d,), (d,), (d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
        tensors += [(d,), (d,), (3 * d,), (d,), (4 * d,), (d,)] if bias else []
    return sum(map(math.prod, tensors))


def count_with_numpy(V, T, d, L, tied=True, bias=True):
    V, T, d, L = map(np.int64, (V, T, d, L))
    per_block = 12 * d**2 + (13 if bias else 2) * d
    return V * d * (1 if tied else 2) + T * d + L * per_block + (1 + bias) * d


@pytest.mark.parametrize("style", [count_by_listing, count_with_numpy])
def test_the_count_in_any_style(style):
    assert_full_marks(check("count_gpt2_params", style, seed=3))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("flops_per_token", lambda V, T, d, L, train=False: (1 + 2.0 * train)
         * (24.0 * L * d * d + 2 * V * d + 4 * T * d * L)),
        ("crossover_context", lambda d: 16 * d * d / (4 * d)),
        ("crossover_depth", lambda V, d: np.float64(V) / 12 / d),
        ("tying_fraction", lambda V, d, L: 1 / (12 * L * d / V + 2)),
        ("context_for_attention_share", lambda V, d, L, share=0.9: np.ceil(
            share / (1 - share) * (12 * L * d + V) / (2 * L))),
        ("rows_that_change", lambda T, t, masked=True: np.array(
            [s >= t or not masked for s in range(T)])),
        ("init_gpt", lambda V, T, d, L, seed=0: gpt_parameters.init_gpt(V, T, d, L, seed + 77)),
        ("layer_norm", lambda x, g, b: (x - x.mean(-1)[..., None])
         / np.sqrt(x.var(-1)[..., None] + 1e-5) * g + b),
    ],
)  # fmt: skip
def test_other_ways_of_writing_the_small_ones(name, function):
    assert_full_marks(check(name, function, seed=6))


def test_legacy_generator_is_a_generator_too():
    def init_gpt(V, T, d, L, seed):
        rng = np.random.RandomState(seed)
        model, block = gpt_parameters.parameter_shapes(V, T, d)

        def draw(name, shape):
            if len(shape) == 1:
                return np.ones(shape) if name.endswith("_g") else np.zeros(shape)
            deviation = 0.02 / np.sqrt(2 * L) if name in {"w_o", "w_proj"} else 0.02
            return rng.normal(0.0, deviation, size=shape)

        P = {name: draw(name, shape) for name, shape in model.items()}
        return P | {"blocks": [{n: draw(n, s) for n, s in block.items()} for _ in range(L)]}

    assert_full_marks(check("init_gpt", init_gpt, seed=5))


@pytest.mark.parametrize("seed", range(40))
def test_random_parameters_pass_whatever_the_seed(seed):
    assert check("init_gpt", gpt_parameters.init_gpt, seed=seed).passed
