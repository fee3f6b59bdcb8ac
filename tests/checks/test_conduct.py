"""Loops, changed inputs and memory between calls: found by what runs, and named."""

import functools
import math
import random
from pathlib import Path

import numpy as np
import pytest

from course_lib import gpt, gpt_parameters, layers, tied
from course_lib.checks import EXERCISES, check

from .right_gpt_logits import A, forward, gelu, ln, plain_attention, softmax


def ids_of(report):
    return [found.id for found in report.diagnoses]


def loop_over_heads(P, idx, n_head):
    def attention(b, x, h):
        d = x.shape[-1]
        q, k, v = np.split(x @ b["w_qkv"] + b["b_qkv"], 3, axis=-1)
        out = []
        for i in range(h):
            c = slice(i * d // h, (i + 1) * d // h)
            s = q[..., c] @ k[..., c].swapaxes(1, 2) / np.sqrt(d // h)
            s = np.where(np.tri(x.shape[1], dtype=bool), s, -np.inf)
            out.append(softmax(s) @ v[..., c])
        return np.concatenate(out, axis=-1) @ b["w_o"] + b["b_o"]

    return forward(P, idx, n_head, attention)


def comprehension_over_batch(P, idx, n_head):
    return np.stack([forward(P, row[None], n_head, plain_attention)[0] for row in idx])


def loop_over_positions(P, idx, n_head):
    out = []
    t = 0
    while t < idx.shape[1]:
        t += 1
        out.append(forward(P, idx[:, :t], n_head, plain_attention)[:, -1])
    return np.stack(out, axis=1)


def vectorized(P, idx, n_head):
    return forward(P, idx, n_head, plain_attention, act=np.vectorize(gelu))


def along_axis(P, idx, n_head):
    def norm(x, g, b):
        mean = np.apply_along_axis(np.mean, -1, x)[..., None]
        return ln(x - mean, g, b)

    return forward(P, idx, n_head, plain_attention, norm=norm)


def recursion(P, idx, n_head):
    def by_row(rows):
        first = forward(P, rows[:1], n_head, plain_attention)
        return first if len(rows) == 1 else np.concatenate([first, by_row(rows[1:])])

    return by_row(idx)


def generator_in_sum(P, idx, n_head):
    zero = sum(0.0 * t for t in range(idx.shape[1]))
    return forward(P, idx, n_head, plain_attention) + zero


def mapped(P, idx, n_head):
    def one(row):
        return forward(P, row[None], n_head, plain_attention)[0]

    return np.array(list(map(one, idx)))


def nested_loops(P, idx, n_head):
    def mask(s, T):
        s = s.copy()
        for t in range(T):
            for j in range(t + 1, T):
                s[:, :, t, j] = -np.inf
        return s

    return forward(P, idx, n_head, lambda b, x, h: plain_attention(b, x, h, mask))


def cached_loop():
    @functools.cache
    def triangle(T):
        return np.array([[0.0 if j <= t else -np.inf for j in range(T)] for t in range(T)])

    def attention(b, x, h):
        return plain_attention(b, x, h, lambda s, T: s + triangle(T))

    return lambda P, idx, n_head: forward(P, idx, n_head, attention)


@pytest.mark.parametrize(
    ("function", "axis"),
    [
        (loop_over_heads, "heads"),
        (comprehension_over_batch, "batch"),
        (loop_over_positions, "positions"),
        (vectorized, "positions"),
        (along_axis, "positions"),
        (recursion, "batch"),
        (generator_in_sum, "positions"),
        (mapped, "batch"),
        (nested_loops, "positions"),
        (cached_loop(), "positions"),
    ],
)
def test_a_loop_costs_its_points_and_no_others(function, axis):
    report = check("gpt_logits", function, seed=3)
    assert ids_of(report) == ["loops"], str(report)
    assert axis in report.diagnoses[0].title
    assert report.score == report.max_score - 0.5
    assert not report.passed


def test_a_loop_is_named_beside_another_mistake():
    def function(P, idx, n_head):
        return np.stack([forward({**P, "wpe": 0 * P["wpe"]}, row[None], n_head, plain_attention)[0]
                         for row in idx])  # fmt: skip

    assert set(ids_of(check("gpt_logits", function, seed=3))) == {"no_positions", "loops"}


def test_switching_the_tracer_off_earns_nothing():
    def function(P, idx, n_head):
        import sys

        sys.settrace(None)
        return loop_over_heads(P, idx, n_head)

    report = check("gpt_logits", function, seed=3)
    assert "untraceable" in ids_of(report)
    assert report.score < report.max_score


# ---------------------------------------------------------------- inputs


def test_a_changed_parameter_is_named():
    def function(P, idx, n_head):
        out = gpt.gpt_logits(P, idx, n_head)
        if P["wte"].flags.writeable:
            P["wte"] *= 2
        return out

    report = check("gpt_logits", function)
    assert ids_of(report) == ["changes_inputs"]
    assert "P['wte']" in report.diagnoses[0].message
    assert report.score == report.max_score - 0.25


def test_a_write_to_a_read_only_input_is_named_with_its_line():
    def function(x, g, b):
        x -= x.mean(-1, keepdims=True)
        return g * x / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b

    report = check("layer_norm", function)
    assert ids_of(report) == ["changes_inputs"]
    assert "x -= x.mean(-1, keepdims=True)" in report.diagnoses[0].message


def test_added_keys_are_a_change_too():
    def function(P, idx, n_head):
        out = gpt.gpt_logits(P, idx, n_head)
        P["mask"] = np.tri(3)
        return out

    assert ids_of(check("gpt_logits", function)) == ["changes_inputs"]


# ---------------------------------------------------------------- memory


def test_a_counter_is_named():
    calls = []

    def function(E, A, idx, targets):
        calls.append(1)
        loss, dE = tied.tied_lm_loss_and_grad(E, A, idx, targets)
        return loss + 1e-3 * len(calls), dE

    assert "hidden_state" in ids_of(check("tied_lm_loss_and_grad", function))


def test_dropout_is_named():
    rng = np.random.default_rng(3)

    def function(P, idx, n_head):
        out = gpt.gpt_logits(P, idx, n_head)
        return out * (rng.random(out.shape) > 0.1) / 0.9

    report = check("gpt_logits", function)
    assert "hidden_state" in ids_of(report)
    assert not report.passed


def test_a_mask_kept_from_the_first_call_is_named():
    kept = []

    def function(P, idx, n_head):
        def mask(s, T):
            if not kept:
                kept.append(np.triu(np.full((T, T), -np.inf), 1))
            return s + kept[0][:T, :T]

        return forward(P, idx, n_head, lambda b, x, h: plain_attention(b, x, h, mask))

    report = check("gpt_logits", function, seed=8)
    assert not report.passed
    assert "mask_kept" in ids_of(report)


def test_gradients_that_pile_up_are_named():
    total = {}

    def function(E, A, idx, targets):
        loss, dE = tied.tied_lm_loss_and_grad(E, A, idx, targets)
        total[E.shape] = total.get(E.shape, 0) + dE
        return loss, total[E.shape]

    report = check("tied_lm_loss_and_grad", function)
    assert "hidden_state" in ids_of(report)
    assert not report.passed


def test_python_s_own_random_numbers_are_memory_too():
    def function(Q, K, V):
        return layers.causal_attention(Q, K, V) * (1 + 1e-6 * random.random())

    assert "hidden_state" in ids_of(check("causal_attention", function))


def test_splitting_heads_with_np_split_is_no_loop():
    def attention(b, x, h):
        q, k, v = (np.stack(np.split(z, h, axis=-1), axis=1)
                   for z in np.split(x @ b["w_qkv"] + b["b_qkv"], 3, axis=-1))  # fmt: skip
        s = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
        y = softmax(np.where(np.tri(x.shape[1], dtype=bool), s, -np.inf)) @ v
        return np.concatenate(np.moveaxis(y, 1, 0), axis=-1) @ b["w_o"] + b["b_o"]

    report = check("gpt_logits", lambda P, i, h: forward(P, i, h, attention), seed=3)
    assert report.passed, str(report)


def test_vectorize_is_a_loop_even_over_a_function_written_in_c():
    def act(x):
        return x / (1 + np.vectorize(math.exp)(-2 * np.clip(A * (x + 0.044715 * x**3), -300, 300)))

    def function(P, idx, n_head):
        return forward(P, idx, n_head, plain_attention, act=act)

    assert ids_of(check("gpt_logits", function, seed=3)) == ["loops"]


def test_a_function_must_not_hand_out_its_own_memory():
    kept = {}

    def init_gpt(V, T, d, L, seed):
        key = V, T, d, L, seed
        if key not in kept:
            kept[key] = gpt_parameters.init_gpt(V, T, d, L, seed)
        return kept[key]

    assert not check("init_gpt", init_gpt).passed


def test_parameters_remembered_from_the_first_call_are_named():
    kept = []

    def function(P, idx, n_head):
        kept.append(P)
        return forward(kept[0], idx, n_head, plain_attention)

    report = check("gpt_logits", function, seed=6)
    assert "parameters_kept" in ids_of(report)


def test_what_rests_on_the_students_word_is_worth_what_the_docs_say():
    conduct = {
        name: sum(part.points for part in exercise.parts if part.conduct)
        for name, exercise in EXERCISES.items()
    }
    whole = sum(exercise.max_score for exercise in EXERCISES.values())
    assert max(conduct.values()) == 1
    said = (Path(__file__).parents[2] / "docs" / "judge.md").read_text()
    said = " ".join(said.split())
    assert f"They are {sum(conduct.values())} of the course's {whole}, and at most 1" in said
