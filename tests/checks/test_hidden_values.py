"""On hidden inputs a report quotes no value, shape or name that an answer can make of them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from course_lib.checks import EXERCISES, check

FEW = {name: replace(exercise, runs=20) for name, exercise in EXERCISES.items()}
TOLD = 8273
WRITTEN = (str(TOLD), f"{TOLD:,}")


def changed(change):
    """Return a way to change every number and array of a result."""

    def of(value):
        if isinstance(value, dict):
            return {key: of(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(of(item) for item in value)
        return change(value)

    return of


def shape_of(value):
    return np.zeros(TOLD)


WAYS = {
    "more": changed(lambda v: v + TOLD if not isinstance(v, bool | np.bool_) else v),
    "times": changed(lambda v: v * TOLD if not isinstance(v, bool | np.bool_) else v),
    "all": changed(lambda v: np.full_like(v, TOLD) if isinstance(v, np.ndarray) else TOLD),
    "an entry": changed(
        lambda v: (
            np.where(np.arange(v.size).reshape(v.shape) == 2, TOLD, v)
            if isinstance(v, np.ndarray) and v.dtype.kind == "f"
            else v + TOLD
        )
    ),
    "shapes": changed(shape_of),
    "one shape": shape_of,
    "text": lambda _: f"text {TOLD}",
    "names": lambda v: {f"name {TOLD}": v},
    "more names": lambda v: {**v, f"name {TOLD}": 1} if isinstance(v, dict) else [1] * TOLD,
    "a dtype": changed(lambda v: np.zeros(2, f"S{TOLD}")),
    "many": lambda _: (1,) * TOLD,
}


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch):
    """Search little: none of these is a mistake that a longer search would name."""
    for name, exercise in FEW.items():
        monkeypatch.setitem(EXERCISES, name, exercise)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", EXERCISES)
def test_what_an_answer_returns_is_not_quoted(name, way):
    exercise = EXERCISES[name]

    def telling(*args, **kwargs):
        return WAYS[way](exercise.reference().answer(*args, **kwargs))

    report = check(name, telling, seed=4)
    assert not report.passed
    told = str(report) + json.dumps(report.to_dict())
    assert not any(word in told for word in WRITTEN), told


def test_on_visible_inputs_both_values_are_quoted():
    wrong = lambda V, T, d, L, **_: 1234  # noqa: E731
    assert "Got 1,234, expected" in str(check("count_gpt2_params", wrong))
    assert "Got 1,234" not in str(check("count_gpt2_params", wrong, seed=4))
