"""Answers that are no answers: nothing, exceptions, wrong types, objects that pretend."""

import sys

import numpy as np
import pytest

from course_lib import gpt, tied
from course_lib.checks import check, exercises
from course_lib.counting import count_gpt2_params


def ids_of(report):
    return [found.id for found in report.diagnoses]


@pytest.mark.parametrize("name", exercises())
def test_an_unwritten_answer_gets_a_friendly_word_and_no_traceback(name):
    def stub(*args, **kwargs):
        raise NotImplementedError

    report = check(name, stub)
    assert ids_of(report) == ["not_written"]
    assert report.score == 0
    assert report.max_score > 0
    assert report.error is None
    assert not report.passed


@pytest.mark.parametrize("value", [None, ..., "logits", 0, 0.0, [], {}, (), np.zeros(3), True])
@pytest.mark.parametrize("name", exercises())
def test_a_constant_earns_nothing_and_says_something(name, value):
    report = check(name, lambda *args: value)
    assert not report.passed
    assert report.score == 0, str(report)
    assert report.diagnoses


@pytest.mark.parametrize("name", exercises())
@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyError("wte"), SystemExit(3), RecursionError(), StopIteration(),
              GeneratorExit(), MemoryError(), ZeroDivisionError()]
)  # fmt: skip
def test_an_exception_is_shown_with_the_student_s_line(name, error):
    def function(*args):
        raise error  # the student's line

    report = check(name, function)
    assert report.score == 0
    assert type(error).__name__ in report.error
    assert "raise error  # the student's line" in report.error


def test_the_line_shown_is_the_student_s_even_if_numpy_raised():
    def function(x, g, b):
        centred = x - x.mean(axis=-1)
        return np.einsum("ij,jk->ik", centred, centred, centred)

    report = check("layer_norm", function)
    assert "your line" in report.error
    assert "np.einsum" in report.error or "x.mean" in report.error


def test_the_text_of_an_exception_is_hidden_in_grading():
    def function(P, idx, n_head):
        raise ValueError(str(idx.tolist()))

    assert "[[" in check("gpt_logits", function).error
    hidden = check("gpt_logits", function, seed=3)
    assert "[[" not in str(hidden)
    assert "ValueError" in hidden.error


def test_sizes_are_hidden_in_grading():
    def function(V, T, d, L, tied=True, bias=True):
        return count_gpt2_params(V, T, d, L, tied, bias) + 17

    assert "V = " in str(check("count_gpt2_params", function))
    assert "V = " not in str(check("count_gpt2_params", function, seed=3))


def logits(P, idx, n_head):
    return gpt.gpt_logits(P, idx, n_head)


class Pretender(np.ndarray):
    __hash__ = None

    def __eq__(self, other):
        return np.ones(self.shape, bool)

    def __sub__(self, other):
        return np.zeros(self.shape)

    def __array_ufunc__(self, *args, **kwargs):
        return np.zeros(self.shape)


class EqualToAll(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = int.__hash__


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("gpt_logits", lambda P, i, h: logits(P, i, h).astype(object)),
        ("gpt_logits", lambda P, i, h: logits(P, i, h).astype(complex)),
        ("gpt_logits", lambda P, i, h: logits(P, i, h).astype(str)),
        ("gpt_logits", lambda P, i, h: (0 * logits(P, i, h)).view(Pretender)),
        ("gpt_logits", lambda P, i, h: np.ma.array(logits(P, i, h), mask=True)),
        ("gpt_logits", lambda P, i, h: iter(logits(P, i, h))),
        ("gpt_logits", lambda P, i, h: lambda: logits(P, i, h)),
        ("layer_norm", lambda x, g, b: np.asmatrix(np.ones((2, 2)))),
        ("count_gpt2_params", lambda V, T, d, L, tied=True, bias=True: EqualToAll(3)),
        ("count_gpt2_params", lambda V, T, d, L, tied=True, bias=True: {1: object()}),
        ("tied_lm_loss_and_grad", lambda E, A, i, y: (EqualToAll(1), E)),
    ],
)
def test_what_is_no_plain_data_is_refused(name, function):
    report = check(name, function)
    assert report.score == 0
    assert ids_of(report)[0] == "refused_type"


@pytest.mark.parametrize(
    ("function", "ident"),
    [
        (lambda P, i, h: (logits(P, i, h), None), "returns_tuple"),
        (lambda P, i, h: logits(P, i, h).tolist(), "returns_list"),
        (lambda P, i, h: None if logits(P, i, h) is not None else 0, "returns_none"),
        (lambda P, i, h: logits(P, i, h).astype(np.float32), "float32"),
        (lambda P, i, h: logits(P, i, h).transpose(0, 2, 1), "returns_transposed"),
        (lambda P, i, h: {"logits": logits(P, i, h)}, "wrong_type"),
        (lambda P, i, h: logits(P, i, h)[..., :-1], "wrong_shape"),
        (lambda P, i, h: np.full_like(logits(P, i, h), np.nan), "mask_nan"),
        (lambda P, i, h: np.full_like(logits(P, i, h), np.inf), "located"),
    ],
)
def test_a_wrong_form_is_named(function, ident):
    report = check("gpt_logits", function)
    assert ident in ids_of(report), str(report)
    assert not report.passed


def test_a_list_of_right_numbers_loses_only_the_form():
    report = check("gpt_logits", lambda P, i, h: logits(P, i, h).tolist())
    assert 0.5 * report.max_score < report.score < report.max_score


def test_a_float_count_is_named():
    def function(V, T, d, L, tied=True, bias=True):
        return float(count_gpt2_params(V, T, d, L, tied, bias))

    report = check("count_gpt2_params", function)
    assert ids_of(report) == ["returns_float"]
    assert not report.passed


def test_a_result_with_a_dtype_that_equals_everything_stays_wrong():
    def function(E, A, idx, targets):
        return True, tied.tied_lm_loss_and_grad(E, A, idx, targets)[1]

    assert not check("tied_lm_loss_and_grad", function).passed


def test_warnings_and_output_cost_nothing(capsys, recwarn):
    def function(P, idx, n_head):
        import warnings

        warnings.warn("deprecated", stacklevel=1)
        print("shape", idx.shape)
        print("oops", file=sys.stderr)
        np.log(np.zeros(1))
        return logits(P, idx, n_head)

    assert check("gpt_logits", function).passed
    assert not recwarn.list


def test_a_wrong_name_and_what_is_no_function_are_refused():
    with pytest.raises(ValueError, match="there are: layer_norm"):
        check("gpt_logit", logits)
    with pytest.raises(TypeError, match="expected the function"):
        check("gpt_logits", 3)


def test_wrong_numbers_of_arguments_are_told():
    report = check("gpt_logits", lambda P, idx: 0)
    assert "TypeError" in report.error
    assert report.score == 0
