"""Outcomes from the other side of a wall: what is honest is kept, what is made up is not."""

import numpy as np
import pytest

from course_lib.checks import check
from course_lib.checks.calls import Submission
from course_lib.checks.observe import GLOBAL_GENERATOR, told


class Elsewhere:
    """Calls a function as a judge does: what comes back is plain data."""

    def __init__(self, function, forged=None):
        self.function = function
        self.forged = forged or {}

    def through(self, instrument, args, kwargs, **options):
        assert instrument == "observe.told"
        return {**told(self.function, args, kwargs, **options), **self.forged}

    def line(self, cell, number):
        return "return x / 0" if (cell, number) == ("cell answer", 3) else ""


def outcome(forged):
    return Submission(Elsewhere(lambda x: x, forged))([1.0])


def mean(x, g, b):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def test_a_check_says_the_same_of_a_function_here_and_elsewhere():
    for function in (mean, lambda x, g, b: mean(x, g, b) + b, lambda x, g, b: None):
        here, there = check("layer_norm", function), check("layer_norm", Elsewhere(function))
        assert there == here


@pytest.mark.parametrize(
    ("place", "kept"),
    [("[0]", True), ("[0][0]", True), (GLOBAL_GENERATOR, True), ("[1]", False), ("41", False)],
)
def test_only_arguments_that_exist_can_have_changed(place, kept):
    found = outcome({"changed": [place, 7]}).changed
    assert found == ((place,) if kept else ())


def test_an_error_is_one_of_pythons_own_in_a_line_that_exists():
    raised = {"kind": "ZeroDivisionError", "text": "", "line_number": 3, "file": "<cell answer>"}
    error = outcome({"error": raised}).error
    assert (error.kind, error.line_number, error.line) == ("ZeroDivisionError", 3, "return x / 0")
    error = outcome({"error": {**raised, "kind": "E4142", "line_number": 4142}}).error
    assert (error.kind, error.line_number, error.line) == ("Exception", None, "")
    error = outcome({"error": {"kind": ["x"], "line_number": "3", "file": 4}}).error
    assert (error.kind, error.line) == ("Exception", "")


def test_a_refusal_names_known_types_alone():
    assert outcome({"refused": "a generator"}).refused == "a generator"
    assert outcome({"refused": "a Secret4142"}).refused == "an object of another type"
    dtype = "an array of dtype {}; it must hold real numbers"
    assert outcome({"refused": dtype.format("object")}).refused == dtype.format("object")
    assert "4142" not in outcome({"refused": dtype.format("S4142")}).refused


@pytest.mark.parametrize("steps", ["41", 4.1, True, None])
def test_steps_are_a_whole_number_or_unknown(steps):
    assert outcome({"steps": steps}).steps is None


@pytest.mark.parametrize("reply", [None, 3, [], "told"])
def test_what_is_no_reply_is_refused(reply):
    far = Elsewhere(lambda x: x)
    far.through = lambda *_, **__: reply
    assert Submission(far)(1).refused


def test_a_result_that_cannot_cross_is_refused_and_says_when_it_is_too_large():
    class CannotCross(BaseException):
        too_large = True

    def through(*_, **__):
        raise CannotCross("Your function f returned something too large")

    far = Elsewhere(lambda x: x)
    far.through = through
    assert Submission(far)(1).refused == "something too large"
