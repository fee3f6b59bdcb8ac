"""No attack gains a point, reads a secret, outlives its job, or harms the next submission."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from tests.grading.attacks import ATTACKS, Attack
from tests.grading.attacks.processes import descendants
from tests.grading.attacks.small_course import (
    CANARIES,
    FULL,
    HIDDEN_KEY,
    HIDDEN_WORD,
    Handed,
    own_cells_show,
    student_sees,
)

FAMILIES = {"forged results", "stolen secrets", "carried out", "harm", "smuggling"}


def test_there_are_many_attacks_of_every_family():
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 60
    counts = Counter(attack.family for attack in ATTACKS)
    assert set(counts) == FAMILIES
    assert min(counts.values()) >= 8, counts


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_attack_gains_nothing_and_harms_nobody(grader, attack: Attack):
    processes, files = grader.processes(), grader.files()
    result = grader.grade(attack.handed(grader.places))
    assert result.score == attack.earns, [(c.grade_id, c.score, c.reason) for c in result.cells]
    shown, seen = own_cells_show(result), student_sees(result)
    for texts in attack.evidence:
        found = any(text in shown + seen for text in texts.split(" or "))
        assert found, f"the attack was not carried out: no {texts!r}"
    for name, canary in CANARIES.items():
        assert canary not in shown, f"{name} was read"
        assert canary not in seen, f"{name} is shown"
    for text in (HIDDEN_WORD, str(HIDDEN_KEY), f"{HIDDEN_KEY:,}", *attack.leaks):
        assert text not in seen, f"{text} is shown"
    assert "text/html" not in shown
    assert grader.files() == files
    after = grader.grade(Handed())
    assert after.score == FULL, "the submission after it was harmed"
    assert descendants(os.getpid()) == processes, "a process was left"
