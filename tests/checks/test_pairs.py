"""Two mistakes in one box of the diagram are both named, and soon."""

import time

import pytest

from course_lib.checks import check
from course_lib.checks.exercise import make_variant
from course_lib.checks.exercises import EXERCISES

EXERCISE = EXERCISES["gpt_logits"]
PAIRS = [
    # (mistake, which way of making it), twice; both in the box that the comment names
    (("qkv_cut_by_head", 0), ("scale_sqrt_d", 0)),  # attention
    (("qkv_interleaved", 0), ("no_scale", 0)),
    (("qkv_rotated", 1), ("scale_d_k", 0)),
    (("w_qkv_reshaped", 2), ("softmax_over_queries", 0)),
    (("heads_merged_in_reverse", 0), ("softmax_not_normalised", 0)),
    (("head_left_out", 0), ("scale_sqrt_d", 0)),
    (("heads_averaged", 0), ("no_value_bias", 0)),
    (("w_o_transposed", 0), ("no_value_bias", 0)),
    (("mask_hides_self", 2), ("scores_cosine", 0)),
    (("scale_after_softmax", 0), ("mask_small_fill", 0)),
    (("weights_shared", 0), ("w_q_transposed", 2)),
    (("b_fc_after_gelu", 0), ("gelu_sigmoid", 0)),  # MLP
    (("gelu_root", 7), ("mlp_matrix_for_both", 0)),
    (("no_b_proj", 0), ("other_activation", 1)),
    (("ln_sample_variance", 0), ("ln_eps_outside_root", 0)),  # layer norm
    (("ln_no_root", 0), ("ln_gain_bias_swapped", 0)),
    (("ln_eps_1e-12", 0), ("ln1_ln2_swapped", 0)),
    (("positions_from_1", 0), ("embedding_scaled", 0)),  # embedding
    (("ids_shifted_right", 1), ("one_position_row", 2)),
    (("residual_from_normalised", 0), ("ln1_for_both", 0)),  # wiring
    (("parallel_block", 0), ("no_final_norm", 0)),
    (("returns_transposed", 0), ("head_count_as_size", 0)),  # the result
    (("returns_last_position", 0), ("scores_with_values", 0)),
]


def form_of(ident, which):
    return next(s for s in EXERCISE.switches if s.id == ident).forms[which]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda way: way[0])
def test_both_are_named(one, other):
    pieces = [form_of(*way) for way in (one, other)]
    answer = make_variant(EXERCISE, {**pieces[0], **pieces[1]}).answer
    started = time.process_time()
    report = check("gpt_logits", answer, seed=8)
    assert {d.id for d in report.diagnoses} - {"loops", "untraceable"} == {one[0], other[0]}
    assert time.process_time() - started < 3


def test_a_residual_that_nobody_foresaw_is_not_looked_for_in_the_embedding():
    odd = {"residual": lambda m, x, branch: x - 0.01 * x**2 + branch}
    report = check("gpt_logits", make_variant(EXERCISE, odd).answer, seed=8)
    assert "residual" in report.diagnoses[-1].title
    assert "embedding" not in report.diagnoses[-1].title


def test_a_softmax_that_nobody_foresaw_is_not_looked_for_in_the_values():
    odd = {"softmax": lambda m, s: EXERCISE.reference.softmax(m, s) ** 1.1}
    report = check("gpt_logits", make_variant(EXERCISE, odd).answer, seed=8)
    assert "softmax" in report.diagnoses[-1].title
    assert "values" not in report.diagnoses[-1].title
