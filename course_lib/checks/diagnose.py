"""Name the mistakes in a submission: find the switches whose numbers it reproduces.

First every switch alone. Then step by step over the cases, from the simplest: as long as the
mistakes found so far explain a case, go on; where they do not, add one switch, or two, that does.
The cases silence all parts of the function but a few, so a pair in different boxes is found one
after the other. If nothing explains a case, its box is where the trouble is.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from course_lib.checks.compare import Raised, first_difference
from course_lib.checks.exercise import Case, Exercise, Switch, make_variant, run_case

BEAM = 12
SECONDS = 1.2
STRICT = 1e-6
SHAPE_ERRORS = {"ValueError", "IndexError", "AxisError"}

Form = tuple[int, int]  # the index of a switch and of one of its forms
Mistakes = tuple[Form, ...]


@dataclass(frozen=True)
class Explanation:
    """The switches found; `stuck` is the first case that they do not explain, or None."""

    switches: tuple[Switch, ...]
    stuck: Case | None


class Answers:
    """What the reference and its wrong variants give on the cases of one seed, kept once made."""

    def __init__(self, exercise: Exercise, seed: int) -> None:
        self.exercise = exercise
        self.cases: Sequence[Case] = exercise.make_cases(seed)
        self.expected = [self._run(case) for case in self.cases]
        self.probes = exercise.probes(seed)
        self._forms = sorted(
            ((i, j) for i, s in enumerate(exercise.switches) for j in range(len(s.forms))),
            key=lambda form: (self.switch(form).tolerance > STRICT, form[1]),
        )
        self._made: dict[tuple[Mistakes, int], Any] = {}

    def _run(self, case: Case) -> Any:
        return run_case(self.exercise, self.exercise.reference(), case)

    def forms(self) -> Iterator[Form]:
        """Yield every form of every switch: exact ones before lax ones, first forms first."""
        return iter(self._forms)

    def switch(self, form: Form) -> Switch:
        """Return the switch of a form."""
        return self.exercise.switches[form[0]]

    def pieces(self, mistakes: Mistakes) -> dict[str, Any] | None:
        """Return the methods that these mistakes replace, None if two replace the same."""
        merged: dict[str, Any] = {}
        for i, j in mistakes:
            form = self.exercise.switches[i].forms[j]
            if merged.keys() & form.keys():
                return None
            merged |= form
        return merged

    def value(self, mistakes: Mistakes, k: int) -> Any:
        """Return what the function with these mistakes gives on case k."""
        if not mistakes:
            return self.expected[k]
        key = (mistakes, k)
        if key not in self._made:
            if len(self._made) > 50_000:
                self._made.clear()
            model = make_variant(self.exercise, self.pieces(mistakes) or {})
            if any(self.switch(form).stateful for form in mistakes):
                run_case(
                    self.exercise, model, replace(self.cases[0], calls=self.cases[0].calls[:1])
                )
                for n, case in enumerate(self.cases):
                    self._made[mistakes, n] = run_case(self.exercise, model, case)
            else:
                self._made[key] = run_case(self.exercise, model, self.cases[k])
        return self._made[key]

    def rounding(self, k: int) -> float:
        """Return how far apart two right answers to case k may be."""
        return self.cases[k].tolerance if self.cases[k].tolerance > 1e-8 else 0.0

    def shows(self, named: Switch, k: int) -> bool:
        """Say whether a mistake, made alone, changes the result of case k."""
        i = self.exercise.switches.index(named)
        alone = self.value(((i, 0),), k)
        return first_difference(alone, self.expected[k], self.cases[k].tolerance) is not None


@lru_cache(maxsize=24)
def answers(exercise: Exercise, seed: int) -> Answers:
    """Return the answers for a seed; in a warm process they are there already."""
    return Answers(exercise, seed)


def is_one_number(values: Sequence[Any]) -> bool:
    """Say whether a submission gives the same single number whatever it is asked."""

    def reduced(value: Any) -> Any:
        if is_constant(value):
            return value.flat[0] if isinstance(value, np.ndarray) else None
        return value if isinstance(value, (bool, int, float)) else None

    first = reduced(values[0])
    return first is not None and all(reduced(value) == first for value in values)


def is_one_object(values: Sequence[Any]) -> bool:
    """Say whether a submission gives the same number, text or None whatever it is asked."""
    plain = all(isinstance(v, (bool, int, float, str, list, tuple, dict)) for v in values)
    return plain and all(repr(value) == repr(values[0]) for value in values)


def is_constant(value: Any) -> bool:
    """Say whether a result is an array of one number throughout, such as all zeros."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, Raised) or is_constant(v) for v in value)
    if not isinstance(value, np.ndarray) or value.size < 2:
        return False
    return bool((value == value.flat[0]).all())


def is_undefined(value: Any) -> bool:
    """Say whether a result is NaN throughout."""
    if isinstance(value, list):
        return bool(value) and all(map(is_undefined, value))
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool(np.isnan(value).all())


def explain(
    known: Answers, got: Sequence[Any], failing: Sequence[int], thorough: bool = True
) -> Explanation:
    """Find the mistakes that reproduce what a submission gave on every case.

    Args:
        known: the answers of the seed in question.
        got: the submission's value on each case.
        failing: the indices of the cases where it is wrong.
        thorough: whether to look for several mistakes if no single one explains all.
    """
    if all(isinstance(value, Raised) or is_constant(value) for value in got) or (
        is_one_object(got)
        and type(got[0]) is not type(known.expected[0])
        and not isinstance(known.expected[0], (int, float))
    ):
        return Explanation((), known.cases[failing[0]])
    search = _Search(known, got)
    single = search.single(failing)
    if single is not None:
        return Explanation((known.switch(single),), None)
    if not thorough:
        return Explanation((), known.cases[failing[0]])
    found = search.step_by_step()
    if found.stuck is not None or len(found.switches) > 2:  # two that explain all say it better
        pair = search.pair(failing)
        if pair is not None:
            return Explanation(tuple(known.switch(form) for form in pair), None)
    return found


def _unusual(pair: tuple[Form, Form]) -> int:
    """Order pairs of mistakes: the first forms of both come first."""
    return pair[0][1] + pair[1][1]


class _Search:
    """The search for the mistakes in one submission."""

    def __init__(self, known: Answers, got: Sequence[Any]) -> None:
        self.known, self.got = known, got
        self.deadline = time.thread_time() + SECONDS
        self.closeness = [self._closeness(k) for k in range(len(got))]

    def _closeness(self, k: int) -> float:
        """Return how closely a variant must agree: it has to explain most of the error."""
        wrong = first_difference(self.got[k], self.known.expected[k], self.known.cases[k].tolerance)
        return min(1.0, 0.1 * wrong.error) if wrong else 1.0

    def explains(self, mistakes: Mistakes, k: int) -> bool:
        """Say whether the submission's value on case k is that of the function with mistakes."""
        known, got = self.known, self.got[k]
        wrong = known.value(mistakes, k)
        if isinstance(got, Raised) and isinstance(wrong, Raised):
            return got.kind == wrong.kind or {got.kind, wrong.kind} <= SHAPE_ERRORS
        lax = max((known.switch(f).tolerance for f in mistakes), default=0.0)
        tolerance = max(lax, 1e-8)
        if lax > STRICT:  # rounding: as wrong as the submission, in the same cases
            wrongness = first_difference(wrong, known.expected[k], known.cases[k].tolerance)
            if (wrongness is None) != (self.closeness[k] == 1.0):
                return False
            finite = wrongness is not None and math.isfinite(wrongness.error)
            if wrongness and finite and not 0.01 < self.closeness[k] / wrongness.error < 1:
                return False
        else:
            tolerance = min(tolerance, max(self.closeness[k], 1e-11))
        return first_difference(got, wrong, max(tolerance, known.rounding(k))) is None

    def single(self, failing: Sequence[int]) -> Form | None:
        """Return the one switch that explains everything, if there is one."""
        rest = [k for k in range(len(self.got)) if k not in set(failing)]
        # a case with a value tells more than one that raised, a single call costs less than many
        order = sorted(
            failing,
            key=lambda k: isinstance(self.got[k], Raised) or len(self.known.cases[k].calls) > 1,
        )
        for form in self.known.forms():
            if all(self.explains((form,), k) for k in (*order, *rest)):
                return form
        return None

    def pair(self, failing: Sequence[int]) -> Mistakes | None:
        """Return two mistakes that explain everything, if they are found in time."""
        rest = [k for k in range(len(self.got)) if k not in set(failing)]
        for a, b in sorted(itertools.combinations(self._free(()), 2), key=_unusual):
            if not self._in_time():
                return None
            if (
                a[0] != b[0]
                and self.known.pieces((a, b)) is not None
                and all(self.explains((a, b), k) for k in (*failing, *rest))
            ):
                return a, b
        return None

    def step_by_step(self) -> Explanation:
        """Go through the cases, adding mistakes where those found so far are not enough."""
        known = self.known
        order = sorted(
            range(len(self.got)),
            key=lambda k: isinstance(self.got[k], Raised) + 2 * (len(known.cases[k].calls) > 1),
        )
        states: list[Mistakes] = [()]
        for step, k in enumerate(order):
            kept = [state for state in states if self.explains(state, k)]
            if not kept:
                kept = self._extend(states, order[: step + 1])
            if not kept:
                return Explanation(self._named(states[0]), known.cases[k])
            states = kept[:BEAM]
        return Explanation(self._named(min(states, key=len)), None)

    def _named(self, state: Mistakes) -> tuple[Switch, ...]:
        return tuple(dict.fromkeys(self.known.switch(form) for form in state))

    def _extend(self, states: list[Mistakes], seen: list[int]) -> list[Mistakes]:
        """Add one switch, or else two, so that the newest case and all before it are explained."""
        newest = seen[-1]
        found: list[Mistakes] = []
        for state in states:  # the likeliest first; the others only while there is plenty of time
            if found and time.thread_time() > self.deadline - 0.6 * SECONDS:
                break
            found += [
                (*state, form)
                for form in self._free(state)
                if self._in_time() and self._fits((*state, form), seen)
            ]
        if found or isinstance(self.got[newest], Raised):
            return found
        for state in states[:2]:
            now = self.known.value(state, newest)
            shown: list[Form] = []
            hidden: list[Form] = []
            for form in self._free(state):
                (shown if self._shows(state, form, newest, now) else hidden).append(form)
            # the usual ways of both mistakes first; one of them may hide behind the other
            pairs = sorted(itertools.combinations(shown, 2), key=_unusual)
            for a, b in (*pairs, *sorted(itertools.product(shown, hidden), key=_unusual)):
                if not self._in_time():
                    return []
                both = (*state, a, b)
                if a[0] != b[0] and self.known.pieces(both) is not None and self._fits(both, seen):
                    return self._siblings(both, seen)
        return []

    def _siblings(self, pair: Mistakes, seen: list[int]) -> list[Mistakes]:
        """Return a state and its like: other forms of its last two switches that fit as well."""
        *before, a, b = pair
        ways = [
            [(i, j) for j in range(len(self.known.exercise.switches[i].forms))]
            for i in (a[0], b[0])
        ]
        alike = [(*before, x, y) for x, y in itertools.product(*ways) if (x, y) != (a, b)]
        return [pair] + [
            state
            for state in alike
            if self._in_time() and self.known.pieces(state) and self._fits(state, seen)
        ]

    def _in_time(self) -> bool:
        return time.thread_time() < self.deadline

    def _fits(self, state: Mistakes, seen: list[int]) -> bool:
        return all(self.explains(state, k) for k in reversed(seen))

    def _free(self, state: Mistakes) -> list[Form]:
        taken = {i for i, _ in state}
        return [
            f for f in self.known.forms()
            if f[0] not in taken
            and not (self.known.switch(f).alone or self.known.switch(f).stateful)
            and self.known.pieces((*state, f)) is not None
        ]  # fmt: skip

    def _shows(self, state: Mistakes, form: Form, k: int, now: Any) -> bool:
        return first_difference(self.known.value((*state, form), k), now, 1e-9) is not None
