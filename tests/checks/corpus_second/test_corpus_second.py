"""The second corpus is what it says: right files agree with the engine, wrong ones show it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from course_lib.counting import gpt2
from tests.checks.corpus import inputs
from tests.checks.corpus.headers import read_header
from tests.checks.corpus.inputs import Case
from tests.checks.corpus.test_corpus import faults

FOLDER = Path(__file__).parent
SIZES = [(50257, 768, 12), (56, 64, 2), (7, 3, 1), (50257, 12288, 96)]  # V, d, L


def growth_when_doubled(V, d, L):
    def total(d, L):
        return 12 * L * d * d + 2 * V * d

    return total(2 * d, L) / total(d, L), total(d, 2 * L) / total(d, L)


def rows_that_change(T, t, masked=True):
    return np.arange(T) >= t if masked else np.ones(T, dtype=bool)


REFERENCE = inputs.REFERENCE | {
    "crossover_context": lambda d: 4.0 * d,  # the statement asks for no int
    "crossover_depth": gpt2.crossover_depth,
    "tying_fraction": gpt2.tying_fraction,
    "growth_when_doubled": growth_when_doubled,
    "context_for_attention_share": gpt2.context_for_attention_share,
    "rows_that_change": rows_that_change,
}
CASES = inputs.CASES | {
    "crossover_depth": [Case((V, d)) for V, d, _ in SIZES],
    "tying_fraction": [Case(size) for size in SIZES],
    "growth_when_doubled": [Case(size) for size in SIZES],
    "context_for_attention_share": [
        Case(size, {"share": share}) for size in SIZES for share in (0.1, 0.5, 0.9, 0.99)
    ],
    "rows_that_change": [
        Case(args, {"masked": masked})
        for args in [(1, 0), (5, 0), (5, 4), (8, 3)]
        for masked in (True, False)
    ],
}


def files(kind):
    return [
        pytest.param(path.parts[-3], path, id=f"{path.parts[-3]}-{path.stem}")
        for path in sorted(FOLDER.glob(f"*/{kind}/*.py"))
    ]


@pytest.fixture(autouse=True)
def more_exercises(monkeypatch):
    monkeypatch.setattr(inputs, "REFERENCE", REFERENCE)
    monkeypatch.setattr(inputs, "CASES", CASES)


@pytest.mark.parametrize(("exercise", "path"), files("right"))
def test_right_file_agrees_with_the_engine(exercise: str, path: Path) -> None:
    assert faults(exercise, path) == set()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("exercise", "path"), files("wrong"))
def test_wrong_file_shows_its_mistake(exercise: str, path: Path) -> None:
    found, shows = faults(exercise, path), read_header(path).shows
    assert shows in found, f"claims {shows}, found {sorted(found) or 'nothing'}"
    if shows in ("mutation", "type", "loop"):
        assert "values" not in found, f"claims {shows}, but a first call is wrong already"
