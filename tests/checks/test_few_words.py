"""How much a report on hidden inputs can be made to say."""

import builtins
from math import log2

import numpy as np
import pytest

from course_lib.checks import check
from course_lib.checks.diagnose import answers
from course_lib.checks.exercises import EXERCISES
from course_lib.checks.few_words import COMMON_ERRORS, COMMON_TYPES, MOST_MISTAKES
from course_lib.checks.observe import told
from course_lib.grading.judge.few_words import COMMON_TYPES as TYPES_OF_THE_JUDGE
from course_lib.grading.judge.few_words import TOLD_LINES

ERRORS = len(COMMON_ERRORS) + 1
FORMS, KINDS = 9, 4  # of problems of form; of differences beside exceptions


def named_places(value):
    """Count the statements about a result that a difference may name."""
    if isinstance(value, dict):
        return len(value) + sum(map(named_places, value.values()))
    return sum(map(named_places, value)) if isinstance(value, list | tuple) else 0


def bits(exercise):
    """Return how many bits a report can carry at most: each choice by itself, all added up."""
    known = answers(exercise, 5)
    cases, parts = known.cases, len(exercise.parts)
    places = 1 + max(named_places(value) for value in known.expected)
    boxes = 2 + len({case.box for case in cases}) + sum(len(case.boxes) for case in cases)
    stories = len(cases) * (ERRORS + KINDS * places)
    mistakes = (len(exercise.switches) + len(exercise.constants)) * len(cases)
    axes = len({probe.axis for probe in known.probes})
    return (
        parts  # each earned or not
        + MOST_MISTAKES * log2(1 + mistakes)
        + log2(1 + stories * boxes * 2)
        + log2(1 + ERRORS * (TOLD_LINES + 1))  # one exception with its line
        + log2(1 + FORMS + len(COMMON_TYPES) + 1)
        + log2(1 + len(exercise.arguments) + 1)  # the argument that was changed
        + log2(2**axes + 1)
        + 4  # hidden state, the generator, shared memory, means to deceive
    )


def test_a_report_on_hidden_inputs_carries_less_than_100_bits():
    most = {name: bits(exercise) for name, exercise in EXERCISES.items()}
    assert max(most.values()) < 100, most
    assert sorted(most.values())[len(most) // 2] < 70, most


def test_the_judge_tells_the_same_types():
    assert COMMON_ERRORS == TYPES_OF_THE_JUDGE


class Far:
    """A student's process that says what it wants."""

    def __init__(self, function, **forged):
        self.function, self.forged = function, forged

    def through(self, instrument, args, kwargs, **options):
        return {**told(self.function, args, kwargs, **options), **self.forged}

    def line(self, cell, number):
        return f"line {number}" if 0 < number < TOLD_LINES else ""


def norm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def report(function, seed=7, exercise="layer_norm", **forged):
    return str(check(exercise, Far(function, **forged), seed=seed))


def test_exceptions_of_rare_types_are_told_as_one():
    kinds = [name for name, value in vars(builtins).items()
             if isinstance(value, type) and issubclass(value, Exception)]  # fmt: skip
    texts = set()
    for kind in (*kinds, "LinAlgError", "AxisError", "Secret4142"):
        error = {"kind": kind, "text": "4142", "line_number": 3, "file": "<cell a>"}
        if kind != "NotImplementedError":
            texts.add(report(lambda x, g, b: x, error=error))
    assert len(texts) <= ERRORS + 1  # NumPy's own are ValueErrors to some and others to none
    assert not any("4142" in text or "Buffer" in text for text in texts)


def test_which_entries_changed_is_not_told():
    claims = ([["[0]"]], [["[1]", "[0]"]], [["[2]"]], [["[0]", "[1]"]], [["[2]", "[0]", "[1]"]])
    texts = {report(norm, changed=claim[0]) for claim in claims}
    assert len(texts) == 3
    assert all(text.count("had changed") == 1 for text in texts)
    assert not any(" g, " in text or "x, g" in text for text in texts)


@pytest.mark.parametrize("seed", [None, 7])
def test_what_came_in_place_of_numbers_is_told_if_it_is_common(seed):
    assert "a generator" in report(norm, seed, refused="a generator")
    shown = [report(norm, seed, refused=f"a {kind}") for kind in ("frozenset", "memoryview")]
    assert len(set(shown)) == (1 if seed else 2)


def test_no_more_than_three_mistakes_are_named_and_all_of_them_cost():
    def wrong(x, g, b):
        x -= x.mean(-1, keepdims=True)
        return x / (x.std(-1, ddof=1, keepdims=True) + 1e-3) + g

    hidden, visible = (check("layer_norm", wrong, seed=7, visible=v) for v in (False, True))
    switches = {switch.id for switch in EXERCISES["layer_norm"].switches}
    assert len([d for d in hidden.diagnoses if d.id in switches]) <= MOST_MISTAKES
    assert hidden.score == visible.score
