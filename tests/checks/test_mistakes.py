"""Every known mistake is refused and named; pairs of them too; what no switch knows is located."""

import math
import re

import numpy as np
import pytest

from course_lib import gpt_parameters, tied
from course_lib.checks import check
from course_lib.checks.compare import first_difference
from course_lib.checks.exercise import make_variant, run_case
from course_lib.checks.exercises import EXERCISES

from .right_gpt_logits import forward, gelu, ln, plain_attention

EVERY_SWITCH = [(name, s.id) for name, e in EXERCISES.items() for s in e.switches]


def switch_of(name, ident):
    return next(s for s in EXERCISES[name].switches if s.id == ident)


def function_with(name, *pieces):
    merged = {key: value for piece in pieces for key, value in piece.items()}
    model = make_variant(EXERCISES[name], merged)
    return model.answer


def names(report):
    return [found.id for found in report.diagnoses]


def test_the_catalogue_is_large_and_its_names_are_unique():
    assert len(EVERY_SWITCH) >= 150
    assert len(EVERY_SWITCH) == len(set(EVERY_SWITCH))
    for name, ident in EVERY_SWITCH:
        s = switch_of(name, ident)
        assert re.fullmatch(r"[A-Za-z0-9_-]+", ident)
        assert 10 <= len(s.title) <= 90, s.title
        assert not s.title.endswith(".")
        assert s.message.endswith((".", ")")), s.message
        assert re.match(r"0[1-7]_[a-z0-9_]+", s.section), s.section


@pytest.mark.parametrize("name", EXERCISES)
def test_every_form_of_every_mistake_is_far_from_right(name):
    exercise = EXERCISES[name]
    cases = exercise.make_cases(14)
    right = [run_case(exercise, exercise.reference(), case) for case in cases]
    close = []
    for s in (s for s in exercise.switches if not s.stateful):
        # rounding errors are close by their nature
        floor = 1e-6 if s.tolerance == 1e-7 else 1e-8
        for j, form in enumerate(s.forms):
            least = floor if j == 0 else min(floor, 1e-7)
            model = make_variant(exercise, form)
            gaps = (
                first_difference(
                    run_case(exercise, model, case), r, max(least, case.tolerance * 0.5)
                )
                for case, r in zip(cases, right, strict=True)
            )
            if not any(gaps):
                close.append((s.id, j))
    assert close == []


@pytest.mark.parametrize(("name", "ident"), EVERY_SWITCH)
def test_every_mistake_is_named(name, ident):
    s = switch_of(name, ident)
    for j, form in enumerate(s.forms):
        report = check(name, function_with(name, form), seed=5)
        assert not report.passed
        assert report.score < report.max_score
        found = names(report)
        if s.stateful and "hidden_state" in found:
            continue
        assert found[0] == ident, (j, str(report))


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("gpt_logits", ("scale_sqrt_d", "relu")),
        ("gpt_logits", ("ln_sample_variance", "no_scale")),
        ("gpt_logits", ("no_positions", "mask_sees_next")),
        ("gpt_logits", ("gelu_exact", "ln_eps_outside_root")),
        ("gpt_logits", ("no_b_o", "no_b_fc")),
        ("gpt_logits", ("heads_reshaped_only", "no_final_norm")),
        ("gpt_logits", ("kv_swapped", "no_b_proj")),
        ("gpt_logits", ("no_mask", "post_norm")),
        ("gpt_logits", ("scale_d_k", "mask_hides_self")),
        ("gpt_logits", ("w_o_transposed", "blocks_reversed")),
        ("tied_lm_loss_and_grad", ("loss_sum", "no_slope")),
        ("tied_lm_loss_and_grad", ("loss_bits", "repeated_ids")),
        ("tied_lm_loss_and_grad", ("A_not_transposed", "repeated_ids")),
        ("count_gpt2_params", ("no_positions", "no_final_norm")),
        ("count_gpt2_params", ("head_never_counted", "no_positions")),
        ("flops_per_token", ("no_head", "training_factor")),
    ],
)
def test_two_mistakes_are_both_named(name, pair):
    pieces = [switch_of(name, ident).forms[0] for ident in pair]
    report = check(name, function_with(name, *pieces), seed=5)
    assert set(names(report)) - {"loops"} == set(pair), str(report)


def test_three_mistakes_in_three_boxes_are_all_named():
    idents = ("no_positions", "no_scale", "relu")
    pieces = [switch_of("gpt_logits", ident).forms[0] for ident in idents]
    report = check("gpt_logits", function_with("gpt_logits", *pieces), seed=5)
    assert set(names(report)) == set(idents)


# ---------------------------------------------------------------- said in words


def message_of(report):
    return " ".join(f"{d.title} {d.message}" for d in report.diagnoses)


def test_the_root_of_d_is_named_in_words():
    def gpt_logits(P, idx, n_head):
        def attention(b, x, h):
            B, T, d = x.shape
            q, k, v = (z.reshape(B, T, h, d // h).transpose(0, 2, 1, 3)
                       for z in np.split(x @ b["w_qkv"] + b["b_qkv"], 3, axis=-1))  # fmt: skip
            s = np.where(np.tri(T, dtype=bool), q @ k.swapaxes(2, 3) / math.sqrt(d), -np.inf)
            w = np.exp(s - s.max(-1, keepdims=True))
            w /= w.sum(-1, keepdims=True)
            return (w @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ b["w_o"] + b["b_o"]

        return forward(P, idx, n_head, attention)

    report = check("gpt_logits", gpt_logits)
    assert report.diagnoses[0].title == "Attention divides by √d, not √d_k"
    assert "Tried: " in report.diagnoses[0].message
    assert "Got " in report.diagnoses[0].message
    assert "expected " in report.diagnoses[0].message
    assert "01_forward_pass" in report.diagnoses[0].section


@pytest.mark.parametrize(
    ("wrong", "box"),
    [
        (lambda x: x + 0.01 * np.sin(x), "MLP"),
        (lambda x: gelu(x) * (1 + 0.003 * np.cos(x)), "MLP"),
    ],
)
def test_a_mistake_that_nobody_foresaw_is_located_in_the_mlp(wrong, box):
    report = check(
        "gpt_logits", lambda P, i, h: forward(P, i, h, plain_attention, act=wrong), seed=3
    )
    assert not report.passed
    assert box in message_of(report)


def test_a_mistake_that_nobody_foresaw_is_located_in_the_norm():
    def norm(x, g, b):
        return ln(x, g, b) * (1 + 0.01 * np.cos(x.sum(-1, keepdims=True)))

    report = check(
        "gpt_logits", lambda P, i, h: forward(P, i, h, plain_attention, norm=norm), seed=3
    )
    assert "layer norm" in message_of(report)


def test_a_mistake_that_nobody_foresaw_is_located_in_the_attention():
    def mask(s, T):
        return np.where(np.tri(T, dtype=bool), s * (1 + 0.01 * np.arange(T)), -np.inf)

    def attention(b, x, h):
        return plain_attention(b, x, h, mask)

    report = check("gpt_logits", lambda P, i, h: forward(P, i, h, attention), seed=3)
    assert re.search("scale|queries and keys", message_of(report))


def test_an_unforeseen_count_is_told_by_its_terms():
    def count_gpt2_params(V, T, d, L, tied=True, bias=True):
        right = EXERCISES["count_gpt2_params"].reference().answer(V, T, d, L, tied, bias)
        return right + 7 * L * d - 3 * T

    report = check("count_gpt2_params", count_gpt2_params, seed=3, visible=True)
    assert "7·L·d too much" in message_of(report)
    assert "3·T too little" in message_of(report)


def test_the_initialisation_is_told_by_the_parameter():
    def init_gpt(V, T, d, L, seed):
        P = gpt_parameters.init_gpt(V, T, d, L, seed)
        for block in P["blocks"]:
            block["w_fc"] = 3 * block["w_fc"]
        return P

    report = check("init_gpt", init_gpt, seed=3)
    assert "standard deviation of P['blocks'][0]['w_fc']" in message_of(report)
    assert 0 < report.score < report.max_score


# ---------------------------------------------------------------- partial credit


def earned(report):
    return {part.title: part.earned for part in report.parts}


@pytest.mark.parametrize("name", EXERCISES)
def test_points_of_parts_add_up(name):
    for s in EXERCISES[name].switches[:6]:
        report = check(name, function_with(name, s.forms[0]), seed=5)
        assert report.score == pytest.approx(sum(part.earned for part in report.parts))
        assert report.max_score == pytest.approx(sum(part.points for part in report.parts))
        assert all(0 <= part.earned <= part.points for part in report.parts)


def test_all_but_the_mask_keeps_most_of_the_points():
    report = check(
        "gpt_logits", function_with("gpt_logits", switch_of("gpt_logits", "no_mask").forms[0])
    )
    assert report.score >= 0.6 * report.max_score
    assert earned(report)["The causal mask"] == 0
    assert earned(report)["Scale and softmax"] == 1


def test_a_wrong_gradient_keeps_the_points_for_the_loss():
    def function(E, A, idx, targets):
        loss, dE = tied.tied_lm_loss_and_grad(E, A, idx, targets)
        return loss, dE * np.cos(dE)

    report = check("tied_lm_loss_and_grad", function, seed=2)
    assert earned(report)["The loss"] == 1
    assert earned(report)["The gradient through the head"] == 0


def test_zeros_earn_nothing():
    report = check("gpt_logits", lambda P, i, h: np.zeros((*i.shape, len(P["wte"]))))
    assert report.score == 0
    assert "mask" not in message_of(report)
