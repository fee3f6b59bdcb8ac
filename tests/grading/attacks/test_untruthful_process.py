"""A student's process that answers at random: nothing it says breaks the judge or earns a point."""

from __future__ import annotations

import pytest

from tests.grading.attacks.forged import FIND
from tests.grading.attacks.small_course import CANARIES, FULL, WRONG, Handed, student_sees

# Some replies are replaced, in others one entry is.
RANDOM = (
    FIND
    + r"""
import random as _random
rng = _random.Random(SEED)
WORDS = ["value", "error", "outputs", "names", "refused", "args", "function", "kinds", "text",
         "where", "data", "output_type", "stream", "name", "execute_result", "text/plain",
         "image/png", "metadata", "judge", "double", "shift", "label", "other", "broken", "wall",
         "builtins.ValueError", "builtins.AssertionError", "cell", "test shift", "your cell shift",
         "\ud800", "\0", "\x1b[2J"]
def made(depth=0):
    kind = rng.randrange(14 if depth < 4 else 8)
    few = range(rng.randrange(4))
    if kind == 0: return None
    if kind == 1: return rng.choice([0, 1, -1, 10**30, True, False, 2, 4])
    if kind == 2: return rng.choice([0.5, float("nan"), float("inf"), -0.0])
    if kind in (3, 4): return rng.choice(WORDS)
    if kind == 5: return b"x"
    if kind == 6: return np.zeros(rng.randrange(3))
    if kind == 7: return range(3)
    if kind in (8, 9): return [made(depth + 1) for _ in few]
    if kind == 10: return tuple(made(depth + 1) for _ in few)
    return {rng.choice(WORDS): made(depth + 1) for _ in few}
def untruthful(honest):
    def reply(self, **request):
        chance = rng.random()
        answer = honest(self, **request)
        if chance < 0.25:
            random_value = made()
            return random_value if isinstance(random_value, dict) else {"value": random_value}
        if chance < 0.6 and answer:
            answer[rng.choice(list(answer))] = made()
        return answer
    return reply
for name in dir(type(side)):
    if name.startswith("do_"):
        setattr(type(side), name, untruthful(getattr(type(side), name)))
"""
)


@pytest.mark.parametrize("seed", range(24))
def test_random_replies_break_nothing(grader, seed):
    result = grader.grade(Handed(dict(WRONG), [RANDOM.replace("SEED", str(seed))]))
    assert result.score == 0
    assert not any(remark.kind == "broke_off" for remark in result.remarks)
    assert len(result.cells) == 4
    assert not any(canary in student_sees(result) for canary in CANARIES.values())
    if seed % 6 == 0:
        assert grader.grade(Handed()).score == FULL
