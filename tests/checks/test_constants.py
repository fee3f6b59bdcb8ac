"""A wrong number is found whatever it is, and named with its value."""

import pytest

from course_lib.checks import check
from course_lib.checks.exercise import make_variant
from course_lib.checks.exercises import EXERCISES
from course_lib.checks.exercises.gpt_logits.constants import CONSTANTS

EXERCISE = EXERCISES["gpt_logits"]
NUMBERS = {"eps_fitted": 0.00037, "softmax_sum_fitted": 0.0123, "fill_fitted_0": -7.3}


def answer_with(*pieces):
    return make_variant(EXERCISE, {k: v for form in pieces for k, v in form.items()}).answer


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda c: c.id)
def test_a_number_that_nobody_listed_is_named(constant):
    number = NUMBERS.get(constant.id, 0.83)
    report = check("gpt_logits", answer_with(constant.make(number)), seed=6, visible=True)
    (note,) = report.diagnoses
    assert note.id == constant.id
    assert f"{number:g}" in note.message
    assert not report.passed


def test_a_number_that_hidden_inputs_may_have_made_is_not_told():
    scale = next(c for c in CONSTANTS if c.id == "scale_fitted")
    (note,) = check("gpt_logits", answer_with(scale.make(0.83)), seed=6).diagnoses
    assert note.id == "scale_fitted"
    assert "1/√d_k times another number" in note.message
    assert "0.83" not in note.message


def test_a_wrong_number_beside_a_known_mistake_is_named_too():
    relu = next(s for s in EXERCISE.switches if s.id == "relu")
    scale = next(c for c in CONSTANTS if c.id == "scale_fitted")
    report = check("gpt_logits", answer_with(relu.forms[0], scale.make(0.61)), seed=6, visible=True)
    assert [d.id for d in report.diagnoses] == ["relu", "scale_fitted"]


def test_what_is_no_constant_is_not_called_one():
    odd = {"scale": lambda m, d_k: (0.3 + 0.1 * m.T) / d_k}
    report = check("gpt_logits", answer_with(odd), seed=6, visible=True)
    assert not any(d.id in {c.id for c in CONSTANTS} for d in report.diagnoses)
