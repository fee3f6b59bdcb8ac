"""Hostile submissions, each an exploit against stock nbgrader or against the wall."""

from tests.grading.attacks.attack import Attack
from tests.grading.attacks.carried_out import CARRIED_OUT
from tests.grading.attacks.forged import FORGED
from tests.grading.attacks.harm import HARM
from tests.grading.attacks.smuggled import SMUGGLED
from tests.grading.attacks.stolen import STOLEN

ATTACKS: tuple[Attack, ...] = (*FORGED, *STOLEN, *CARRIED_OUT, *HARM, *SMUGGLED)
