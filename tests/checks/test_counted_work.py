"""The same submission and seed give the same points and words on every machine, warm or cold."""

import importlib
import itertools
import time

import numpy as np
import pytest

from course_lib import tied
from course_lib.checks import check
from course_lib.checks.exercise import make_variant
from course_lib.checks.exercises import EXERCISES

from .right_gpt_logits import forward, gelu, plain_attention
from .test_pairs import EXERCISE, PAIRS, form_of

diagnose = importlib.import_module("course_lib.checks.diagnose")
CLOCKS = (
    "time", "monotonic", "perf_counter", "process_time", "thread_time",
    "time_ns", "monotonic_ns", "perf_counter_ns", "process_time_ns", "thread_time_ns",
)  # fmt: skip


def strange(P, idx, n_head):
    """Return what no mistake of the catalogue explains, so that all of them are tried."""

    def attention(b, x, h):
        return plain_attention(b, np.tanh(x), h)

    return np.tanh(forward(P, idx, n_head, attention, act=lambda x: gelu(x) + 0.1 * np.sin(3 * x)))


def two_mistakes(P, idx, n_head):
    one, other = PAIRS[9]
    model = make_variant(EXERCISE, {**form_of(*one), **form_of(*other)})
    return model.answer(P, idx, n_head)


def no_gradient(*args):
    loss, gradient = EXERCISES["tied_lm_loss_and_grad"].reference().answer(*args)
    return loss, np.full_like(gradient, np.nan)


def odd_gradient(*args):
    loss, gradient = EXERCISES["tied_lm_loss_and_grad"].reference().answer(*args)
    return loss, gradient + 0.01 * np.sin(gradient)


def odd_start(V, T, d, L, seed):
    P = EXERCISES["init_gpt"].reference().answer(V, T, d, L, seed)
    return {**P, "wte": P["wte"] ** 3, "wpe": np.abs(P["wpe"])}


HARD = [
    ("gpt_logits", strange),
    ("gpt_logits", two_mistakes),
    ("tied_lm_loss_and_grad", no_gradient),
    ("tied_lm_loss_and_grad", odd_gradient),
    ("tied_lm_loss_and_grad", lambda *args: tied.tied_lm_loss_and_grad(*args)[::-1]),
    ("init_gpt", odd_start),
    ("count_gpt2_params", lambda V, T, d, L, **_: (V * d + T * d + L * (12 * d * d + 7 * d)) // 3),
]


@pytest.mark.parametrize(("name", "answer"), HARD)
def test_neither_clocks_nor_kept_runs_change_a_report(name, answer, monkeypatch):
    diagnose.answers.cache_clear()
    cold = check(name, answer, seed=12).to_dict()
    warm = check(name, answer, seed=12).to_dict()
    hours = itertools.count(step=3600)
    for clock in CLOCKS:
        monkeypatch.setattr(time, clock, lambda: next(hours))
    slow = check(name, answer, seed=12).to_dict()
    monkeypatch.undo()
    assert cold == warm == slow
