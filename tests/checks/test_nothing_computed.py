"""Values that nobody computed earn nothing, whichever named mistake they happen to look like."""

import numpy as np
import pytest

from course_lib.checks import EXERCISES, check


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


def with_nan(x):
    return np.full_like(x, np.nan) if x.dtype.kind == "f" else np.ones_like(x)


FILLS = {
    "NaN": with_nan,
    "infinity": lambda x: np.full_like(x, np.inf) if x.dtype.kind == "f" else np.ones_like(x),
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "sevens": lambda x: np.full_like(x, 7),
}


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("name", EXERCISES)
def test_no_number_and_one_number_earn_nothing(name, fill):
    report = check(name, like(name, FILLS[fill]))
    earned = {part.title for part in report.parts if part.earned}
    if name == "init_gpt":  # whose right names and shapes are a part of their own
        assert earned <= {"Names, shapes and dtypes"}
    else:
        assert report.score == 0, str(report)


@pytest.mark.parametrize("i", range(6))
@pytest.mark.parametrize("name", EXERCISES)
def test_an_argument_that_is_handed_back_earns_nothing(name, i):
    if i >= len(EXERCISES[name].arguments):
        pytest.skip("it has no so many arguments")
    report = check(name, lambda *args, **kwargs: (*args, *kwargs.values())[i])
    assert report.score == 0, str(report)
