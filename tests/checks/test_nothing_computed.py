"""Values that nobody computed earn nothing, whichever named mistake they happen to look like."""

import numpy as np
import pytest

from course_lib import gpt_logits, tied
from course_lib.checks import EXERCISES, check
from course_lib.checks.exercise import make_variant


def right(name):
    return EXERCISES[name].reference().answer


def like(name, fill):
    """Return a function whose results have the right form, filled by `fill(array)`."""

    def filled(value):
        if isinstance(value, np.ndarray):
            return fill(value)
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(filled(item) for item in value)
        if isinstance(value, bool | np.bool_):
            return bool(fill(np.array([value]))[0])
        number = fill(np.array([float(value)]))[0]
        return int(number) if isinstance(value, int) and np.isfinite(number) else float(number)

    return lambda *args, **kwargs: filled(right(name)(*args, **kwargs))


def all_of(number):
    """Return a fill by a number; what is not of floats is filled by ones if it is not finite."""
    return lambda x: np.full_like(x, number if x.dtype.kind == "f" or np.isfinite(number) else 1)


def mixed(*numbers):
    """Return a fill by several numbers in turn."""
    return lambda x: np.resize(numbers, x.shape).astype(x.dtype if x.dtype.kind == "b" else float)


FILLS = {
    "NaN": all_of(np.nan),
    "infinity": all_of(np.inf),
    "minus infinity": all_of(-np.inf),
    "zeros": all_of(0),  # all False
    "ones": all_of(1),  # all True
    "minus ones": all_of(-1),
    "halves": all_of(0.5),
    "sevens": all_of(7),
    "NaN and infinity": mixed(np.nan, np.inf),
    "NaN and a number": mixed(np.nan, 0.25),
    "nearly zero": lambda x: (1e-10 * np.arange(x.size).reshape(x.shape)).astype(x.dtype),
    "nearly one": lambda x: (1 + 1e-10 * np.arange(x.size).reshape(x.shape)).astype(x.dtype),
    "places": lambda x: np.arange(x.size).reshape(x.shape).astype(x.dtype),
}
OBJECTS = {
    "None": None, "no tuple": (), "no list": [], "no dict": {}, "no text": "",
    "True": True, "False": False, "0": 0, "1": 1, "0.0": 0.0, "2.0": 2.0, "NaN": float("nan"),
    "an empty array": np.zeros(0), "a pair of None": (None, None), "a pair of ones": (1.0, 1.0),
    "a pair of NaN": (float("nan"), float("nan")), "a vast number": 10**400,
    "a number too long to print": 10**5000,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("name", EXERCISES)
def test_no_number_and_one_number_earn_nothing(name, fill):
    report = check(name, like(name, FILLS[fill]))
    earned = {part.title for part in report.parts if part.earned}
    if name == "init_gpt":  # whose right names and shapes are a part of their own
        assert earned <= {"Names, shapes and dtypes"}
    else:
        assert report.score == 0, str(report)


@pytest.mark.parametrize("thing", OBJECTS)
@pytest.mark.parametrize("name", EXERCISES)
def test_the_same_thing_on_every_call_earns_nothing(name, thing):
    report = check(name, lambda *args, **kwargs: OBJECTS[thing])
    assert report.score == 0, str(report)


def nearly(value):
    """Return a number or an array that rounding alone tells from this one."""
    return value * (1 + 1e-10) if isinstance(value, float | np.ndarray) else value


HANDED_BACK = {
    "itself": lambda value: value,
    "a copy": lambda value: value.copy() if hasattr(value, "copy") else value,
    "nearly": nearly,
    "transposed": lambda value: value.T.copy() if isinstance(value, np.ndarray) else value,
}


@pytest.mark.parametrize("how", HANDED_BACK)
@pytest.mark.parametrize("i", range(6))
@pytest.mark.parametrize("name", EXERCISES)
def test_an_argument_that_is_handed_back_earns_nothing(name, i, how):
    if i >= len(EXERCISES[name].arguments):
        pytest.skip("it has no so many arguments")
    report = check(name, lambda *args, **kwargs: HANDED_BACK[how]((*args, *kwargs.values())[i]))
    assert report.score == 0, str(report)


@pytest.mark.parametrize(
    "put_together",
    [
        lambda x, g, b: x * g + b,
        lambda x, g, b: b + g * x * (1 + 1e-10),
        lambda x, g, b: x * b + g,
        lambda x, g, b: x * g,
        lambda x, g, b: x + b,
    ],
)
def test_arguments_that_are_only_put_together_earn_nothing(put_together):
    assert check("layer_norm", put_together).score == 0


def test_a_constant_matrix_shows_neither_the_masked_rows_nor_the_others():
    report = check("rows_that_change", lambda T, t, masked=True: np.tri(T, dtype=bool))
    assert [d.id for d in report.diagnoses] == ["matrix"]
    assert report.score == 0


def test_matrices_of_zeros_show_no_residual_scaling_and_no_draw():
    def init(*args):
        variant = next(s for s in EXERCISES["init_gpt"].switches if s.id == "all_zero")
        return make_variant(EXERCISES["init_gpt"], variant.forms[0]).answer(*args)

    earned = {part.title for part in check("init_gpt", init).parts if part.earned}
    assert earned == {"Names, shapes and dtypes", "Biases 0, gains 1"}


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_bias_or_a_gain_that_is_finite_in_its_first_entry_alone_is_no_constant(number):
    def spoilt(value):
        if isinstance(value, dict):
            return {key: spoilt(item) for key, item in value.items()}
        if isinstance(value, list):
            return [spoilt(item) for item in value]
        if np.ptp(value) == 0:
            value = value.copy()
            value[1:] = number
        return value

    report = check("init_gpt", lambda *args: spoilt(right("init_gpt")(*args)))
    assert "Biases 0, gains 1" not in {part.title for part in report.parts if part.earned}


def test_a_right_loss_beside_a_gradient_of_nan_earns_the_loss():
    def function(E, A, idx, targets):
        loss, gradient = tied.tied_lm_loss_and_grad(E, A, idx, targets)
        return loss, np.full_like(gradient, np.nan)

    report = check("tied_lm_loss_and_grad", function)
    earned = {part.title for part in report.parts if part.earned}
    assert "The loss" in earned
    # an unstable softmax shows in the loss; nothing else of the gradient is in a finite number
    conduct = {"Inputs unchanged", "The same result on every call"}
    assert earned <= {"The loss", "Stable at large scores"} | conduct


def test_logits_that_are_nan_wherever_a_block_runs_earn_nothing_of_a_block():
    def function(params, idx, *args):
        logits = gpt_logits(params, idx, *args)
        return np.full_like(logits, np.nan) if len(params["blocks"]) else logits

    earned = {part.title for part in check("gpt_logits", function).parts if part.earned}
    assert not earned & {"Scale and softmax", "The causal mask", "The MLP and its GELU"}


@pytest.mark.parametrize("ident", ["ln_no_eps", "ln_only_centred", "ln_axis_all"])
def test_a_mistake_in_what_was_computed_keeps_what_it_does_not_touch(ident):
    (named,) = (s for s in EXERCISES["layer_norm"].switches if s.id == ident)
    variant = EXERCISES["layer_norm"]
    report = check("layer_norm", lambda *args: make_variant(variant, named.forms[0]).answer(*args))
    assert [d.id for d in report.diagnoses] == [ident]
    assert report.score >= 0.75
