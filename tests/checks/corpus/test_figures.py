"""Measured on the corpus: right ones pass, wrong ones do not, their mistakes are named."""

import re
from pathlib import Path

import pytest

from tests.checks.corpus.figures import GROUPS, Judged, group_of, measure, table

DOCS = Path(__file__).parents[3] / "docs" / "checks.md"
BORDERLINE = 3  # the search for pairs has a time limit: a slow machine may name a few fewer


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return measure()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_right_submissions_are_accepted(judged):
    assert [(one.file, one.said) for one in judged if one.right and not one.passed] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_wrong_submissions_are_rejected(judged):
    assert [one.file for one in judged if not one.right and one.passed] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("group", GROUPS)
def test_mistakes_are_named(judged, group):
    wrong = [one for one in judged if not one.right and group_of(one.exercise) == group]
    unnamed = [(one.file, one.said) for one in wrong if not one.named]
    assert len(unnamed) <= 0.05 * len(wrong), unnamed


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_table_in_the_docs_is_not_stale(judged):
    def rows(text):
        lines = [line for line in text.splitlines() if re.match(r"\| (`|the rest|all)", line)]
        return [[int(n) for n in re.findall(r"\d+(?= [|(])", line)] for line in lines]

    docs, now = rows(DOCS.read_text(encoding="utf-8")), rows(table(judged))
    assert [row[:4] for row in docs] == [row[:4] for row in now], table(judged)
    assert all(abs(d[4] - n[4]) <= BORDERLINE for d, n in zip(docs, now, strict=True)), table(
        judged
    )
