"""Variants that are run side by side give what each gives by itself."""

import numpy as np
import pytest

from course_lib.checks.diagnose import answers
from course_lib.checks.exercise import make_variant, run_case
from course_lib.checks.exercises import EXERCISES
from course_lib.checks.side_by_side import run_side_by_side

EXERCISE = EXERCISES["gpt_logits"]
KNOWN = answers(EXERCISE, 31)
FORMS = [form for form in KNOWN.forms if KNOWN.stacks(form)]


def case_of(name):
    return next(k for k, case in enumerate(KNOWN.cases) if case.name == name)


def assert_same(value, alone, form):
    if isinstance(alone, np.ndarray) and alone.shape == value.shape:
        np.testing.assert_allclose(value, alone, rtol=1e-7, atol=1e-9, err_msg=str(form))
    else:
        assert np.isnan(value).all(), form  # another shape, or an exception


@pytest.mark.parametrize("name", ["embed_head", "mean", "attention", "single", "base"])
def test_each_mistake_gives_the_same_beside_the_others(name):
    k = case_of(name)
    together = KNOWN.side_by_side(FORMS, (), k)
    np.testing.assert_allclose(together[0], KNOWN.expected[k], rtol=1e-12)
    left_out = []
    for form, value in zip(FORMS, together[1:], strict=True):
        alone = KNOWN.value((form,), k)
        if np.isnan(value).all() and np.shape(alone) == value.shape and not np.isnan(alone).all():
            left_out.append(KNOWN.switch(form).id)  # it is tried by itself, which costs only time
        else:
            assert_same(value, alone, KNOWN.switch(form).id)
    assert len(left_out) < 3, left_out


@pytest.mark.parametrize("common", ["relu", "w_o_transposed", "mask_sees_next", "post_norm"])
def test_a_mistake_that_all_have_in_common_is_made_by_all(common):
    k = case_of("one_block")
    a = next(f for f in FORMS if KNOWN.switch(f).id == common)
    others = [f for f in FORMS if f[1] == 0 and KNOWN.compatible((a,), f)]
    together = KNOWN.side_by_side(others, (a,), k)
    np.testing.assert_allclose(together[0], KNOWN.value((a,), k), rtol=1e-9)
    for form, value in zip(others, together[1:], strict=True):
        assert_same(value, KNOWN.value((a, form), k), KNOWN.switch(form).id)


def test_a_result_of_another_shape_is_made_for_each():
    k = case_of("attention")
    last = next(f for f in KNOWN.forms if KNOWN.switch(f).id == "returns_ids")
    others = [f for f in FORMS if KNOWN.switch(f).id in ("no_mask", "no_scale", "kv_swapped")]
    together = KNOWN.side_by_side(others, (last,), k)
    for form, value in zip(others, together[1:], strict=True):
        np.testing.assert_array_equal(value, KNOWN.value((last, form), k))


def test_a_mistake_that_stops_the_program_leaves_the_others_alone():
    case = KNOWN.cases[case_of("attention")]
    stops = {"softmax": lambda m, s: s @ s[..., :1, :2]}
    broken = run_case(EXERCISE, make_variant(EXERCISE, stops), case)
    assert not isinstance(broken, np.ndarray)
    none = {"softmax": EXERCISE.reference.softmax}
    values = run_side_by_side(
        EXERCISE.stacking, EXERCISE.reference, case.calls[0], [none, stops, {}], {}
    )
    np.testing.assert_allclose(values[0], KNOWN.expected[case_of("attention")])
    assert np.isnan(values[1]).all()
    np.testing.assert_allclose(values[2], KNOWN.expected[case_of("attention")])
