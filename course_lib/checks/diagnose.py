"""Name the mistakes in a submission: find the switches whose numbers it reproduces.

First every switch alone. Then pairs: the cases silence all parts of the function but a few, so
which cases are wrong leaves a small part of all pairs, and those are run side by side. Then step
by step over the cases, from the simplest: as long as the mistakes found so far explain a case, go
on; where they do not, add one switch, or two, that does. If nothing explains a case, its box is
where the trouble is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.checks.compare import Raised, first_difference
from course_lib.checks.evidence import is_constant, is_one_object
from course_lib.checks.exercise import Case, Exercise, Switch, make_variant, run_case
from course_lib.checks.fitted import solve
from course_lib.checks.side_by_side import Pieces, run_side_by_side

BEAM = 12
SIDE_BY_SIDE = 0.1  # what one variant of many costs that run side by side
STRICT = 1e-6
NEAR = 1e-6  # variants run side by side that agree so far are tried by themselves
SHAPE_ERRORS = {"ValueError", "IndexError", "AxisError"}

Flags = NDArray[np.bool_]
Form = tuple[int, int]  # the index of a switch and of one of its forms
Mistakes = tuple[Form, ...]


@dataclass(frozen=True)
class Explanation:
    """The switches found; `stuck` is the first case that they do not explain, or None.

    pieces: the methods that the mistakes replace, in the forms in which they were found.
    """

    switches: tuple[Switch, ...]
    stuck: Case | None
    pieces: Pieces = field(default_factory=dict)


class Answers:
    """What the reference and its wrong variants give on the cases of one seed, kept once made."""

    def __init__(self, exercise: Exercise, seed: int) -> None:
        self.exercise = exercise
        self.cases: Sequence[Case] = exercise.make_cases(seed)
        self.expected = [self._run(case) for case in self.cases]
        self.probes = exercise.probes(seed)
        self.forms: list[Form] = sorted(  # exact ones before lax ones, first forms first
            ((i, j) for i, s in enumerate(exercise.switches) for j in range(len(s.forms))),
            key=lambda form: (self.switch(form).tolerance > STRICT, form[1]),
        )
        self.place = {form: n for n, form in enumerate(self.forms)}
        self.combinable = np.array([self._combines(form) for form in self.forms])
        self._names = {form: frozenset(self._form(form)) for form in self.forms}
        self._alike = {form: self._stacks_with_others(form) for form in self.forms}
        self._made: dict[tuple[Mistakes, int], Any] = {}
        self._stacks: dict[int, Any] = {}
        self._changes: dict[int, Flags] = {}

    def _run(self, case: Case) -> Any:
        return run_case(self.exercise, self.exercise.reference(), case)

    def _combines(self, form: Form) -> bool:
        return not (self.switch(form).alone or self.switch(form).stateful)

    def switch(self, form: Form) -> Switch:
        """Return the switch of a form."""
        return self.exercise.switches[form[0]]

    def _form(self, form: Form) -> Pieces:
        return self.switch(form).forms[form[1]]

    def compatible(self, state: Mistakes, form: Form) -> bool:
        """Say whether a mistake can be made besides others: another switch, other methods."""
        names = self._names[form]
        return all(form[0] != f[0] and names.isdisjoint(self._names[f]) for f in state)

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

    def stacks(self, form: Form) -> bool:
        """Say whether a form can be run side by side with others."""
        return self._alike[form]

    def _stacks_with_others(self, form: Form) -> bool:
        stacking, switch = self.exercise.stacking, self.switch(form)
        return (
            stacking is not None
            and not switch.stateful
            and switch.tolerance <= STRICT
            and not stacking.whole & switch.forms[form[1]].keys()
        )

    def can_stack(self, k: int) -> bool:
        """Say whether variants can be run side by side on case k."""
        single = len(self.cases[k].calls) == 1 and isinstance(self.expected[k], np.ndarray)
        return self.exercise.stacking is not None and single

    def tells(self, k: int) -> bool:
        """Say whether case k serves to narrow pairs down."""
        stacking = self.exercise.stacking
        return stacking is None or self.cases[k].name in stacking.telling

    def reveals(self, forms: Sequence[Form]) -> tuple[Flags, Flags]:
        """Say for pairs whether the first mistake may show the second where alone it is hidden.

        Such as a sublayer that no longer ends in a projection that is zero. Also say which
        mistakes may show those of all boxes.
        """
        stacking = self.exercise.stacking
        if stacking is None:
            return np.ones((len(forms), len(forms)), bool), np.ones(len(forms), bool)
        names = [self._names[form] for form in forms]
        nothing: frozenset[str] = frozenset()
        opened = [nothing.union(*(stacking.revealing.get(n, nothing) for n in own))
                  for own in names]  # fmt: skip
        kinds = {boxes: [bool(boxes & own) for own in names] for boxes in set(opened)}
        found = np.array([kinds[boxes] for boxes in opened], bool).reshape(len(forms), len(forms))
        most = max(map(len, stacking.revealing.values()), default=0)
        return found, np.array([len(boxes) >= most for boxes in opened], bool)

    def side_by_side(self, forms: Sequence[Form], common: Mistakes, k: int) -> Any:
        """Return the values of (common and form) for many forms on case k, as one array.

        The first value is that of common alone.
        """
        exercise = self.exercise
        assert exercise.stacking is not None
        variants = [{}, *(exercise.switches[i].forms[j] for i, j in forms)]
        return run_side_by_side(
            exercise.stacking, exercise.reference, self.cases[k].calls[0], variants,
            self.pieces(common) or {},
        )  # fmt: skip

    def alone(self, k: int) -> Iterator[tuple[list[int], Any]]:
        """Yield what every form gives by itself on case k: places and values, many or one."""
        if k not in self._stacks:
            places, values = [], None
            if self.can_stack(k):
                places = [n for n, form in enumerate(self.forms) if self.stacks(form)]
                values = self.side_by_side([self.forms[n] for n in places], (), k)
            if values is not None:  # NaN may stand for an exception, or for another shape
                good = ~np.isnan(values.reshape(len(values), -1)).all(axis=1)
                places = [n for n, is_good in zip(places, good[1:], strict=True) if is_good]
                values = values[1:][good[1:]]
            self._stacks[k] = places if values is not None else [], values
        together, values = self._stacks[k]
        if together:
            yield together, values
        with_others = set(together)
        for n, form in enumerate(self.forms):
            if n not in with_others:
                yield [n], self.value((form,), k)

    def changes(self, k: int) -> Flags:
        """Say for every form whether the mistake alone changes the result of case k."""
        if k not in self._changes:
            expected, tolerance = self.expected[k], self.cases[k].tolerance
            found = np.zeros(len(self.forms), bool)
            for places, value in self.alone(k):
                found[places] = (
                    ~agree(value, expected, tolerance)
                    if isinstance(value, np.ndarray) and len(value) == len(places) > 1
                    else first_difference(value, expected, tolerance) is not None
                )
            self._changes[k] = found
        return self._changes[k]

    def rounding(self, k: int) -> float:
        """Return how far apart two right answers to case k may be."""
        return self.cases[k].tolerance if self.cases[k].tolerance > 1e-8 else 0.0

    def shows(self, named: Switch, k: int) -> bool:
        """Say whether a mistake, made alone, changes the result of case k."""
        if named in self.exercise.switches:
            alone = self.value(((self.exercise.switches.index(named), 0),), k)
        else:
            alone = run_case(
                self.exercise, make_variant(self.exercise, named.forms[0]), self.cases[k]
            )
        return first_difference(alone, self.expected[k], self.cases[k].tolerance) is not None


def agree(values: Any, due: Any, tolerance: float) -> Flags:
    """Say for each of many arrays whether it agrees with the one that is due."""
    flat = values.reshape(len(values), -1)
    one = np.asarray(due, dtype=np.float64).ravel()
    if flat.shape[1] != one.size or values.shape[1:] != np.shape(due):
        return np.zeros(len(values), bool)
    finite = np.abs(one[np.isfinite(one)])
    scale = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    with np.errstate(all="ignore"):
        same = np.abs(flat - one) <= tolerance * scale
    same |= (flat == one) | (np.isnan(flat) & np.isnan(one))
    out: Flags = same.all(axis=1)
    return out


@lru_cache(maxsize=16)
def answers(exercise: Exercise, seed: int) -> Answers:
    """Return the answers for a seed; in a warm process they are there already."""
    return Answers(exercise, seed)


def explain(
    known: Answers,
    got: Sequence[Any],
    failing: Sequence[int],
    thorough: bool = True,
    quoted: bool = True,
) -> Explanation:
    """Find the mistakes that reproduce what a submission gave on every case.

    Args:
        known: the answers of the seed in question.
        got: the submission's value on each case.
        failing: the indices of the cases where it is wrong.
        thorough: whether to look for several mistakes if no single one explains all.
        quoted: whether a number that was fitted is told, which can be made of hidden inputs.
    """
    if all(isinstance(value, Raised) or is_constant(value) for value in got) or (
        is_one_object(got)
        and type(got[0]) is not type(known.expected[0])
        and not isinstance(known.expected[0], (int, float))
    ):
        return Explanation((), known.cases[failing[0]])
    search = _Search(known, got, failing, quoted)
    single = search.single()
    if single is not None:
        return search.explained((single,))
    if not thorough:
        return Explanation((), known.cases[failing[0]])
    found = search.step_by_step(pairs=False)
    exact = all(named.tolerance <= STRICT for named in found.switches)
    if found.stuck is None and len(found.switches) <= 2 and exact:
        return found
    constant = search.constant(())
    if constant is not None:
        return search.explained((), constant)
    pair = search.pair()
    if pair is None and found.stuck is not None and len(search.reached) == 1:
        constant = search.constant(search.reached)
        if constant is not None:
            return search.explained(search.reached, constant)
    if pair is not None:
        return search.explained(pair)
    if found.stuck is None and len(found.switches) <= 2:
        return found  # one of them rounds: what is exact would have been better
    return search.step_by_step(pairs=True)


def _size(value: Any) -> int:
    return value.size if isinstance(value, np.ndarray) else 0


def _by_case(
    others: Flags, a: int, cases: Sequence[int], shows: dict[int, Flags]
) -> Iterator[tuple[int, Any]]:
    """Yield the mistakes to be tried with mistake a, by the smallest case on which both show."""
    left = others.copy()
    for k in cases:
        if shows[k][a] and (left & shows[k]).any():
            yield k, np.flatnonzero(left & shows[k])
            left &= ~shows[k]
    if left.any():
        yield cases[0], np.flatnonzero(left)


class _Search:
    """The search for the mistakes in one submission."""

    def __init__(
        self, known: Answers, got: Sequence[Any], failing: Sequence[int], quoted: bool
    ) -> None:
        self.known, self.got, self.failing = known, got, failing
        self.quoted = quoted
        self.passing = [k for k in range(len(got)) if k not in set(failing)]
        self.left = float(known.exercise.runs)
        self.closeness = [self._closeness(k) for k in range(len(got))]
        self._matching: dict[int, Flags] = {}
        self.reached: Mistakes = ()  # how far the steps came

    def _closeness(self, k: int) -> float:
        """Return how closely a variant must agree: it has to explain most of the error."""
        wrong = first_difference(self.got[k], self.known.expected[k], self.known.cases[k].tolerance)
        return min(1.0, 0.1 * wrong.error) if wrong else 1.0

    def _numbers(self, k: int) -> bool:
        """Say whether case k is a single call that gave a result."""
        return not isinstance(self.got[k], Raised) and len(self.known.cases[k].calls) == 1

    def _spend(self, variants: float, k: int) -> None:
        """Count runs of variants on case k; a run that another search has kept counts as well.

        So what is found depends on the submission and the seed, and on nothing else.
        """
        self.left -= variants * len(self.known.cases[k].calls)

    def explains(self, mistakes: Mistakes, k: int) -> bool:
        """Say whether the submission's value on case k is that of the function with mistakes."""
        known, got = self.known, self.got[k]
        self._spend(1, k)
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

    def _explains_all(self, mistakes: Mistakes, seen: Sequence[int] | None = None) -> bool:
        order = (*self.failing, *self.passing) if seen is None else seen[::-1]
        return all(self.explains(mistakes, k) for k in order)

    def matching(self, k: int) -> Flags:
        """Say for every form whether it explains case k by itself."""
        if k not in self._matching:
            found = np.zeros(len(self.known.forms), bool)
            for places, value in self.known.alone(k):
                if len(places) > 1:
                    found[places] = self._likely(value, k)
                else:
                    found[places] = self.explains((self.known.forms[places[0]],), k)
            self._matching[k] = found
        return self._matching[k]

    def _likely(self, values: Any, k: int, tolerance: float = NEAR) -> Flags:
        got = self.got[k]
        if not isinstance(got, np.ndarray):
            return np.zeros(len(values), bool)
        return agree(values, got, max(tolerance, self.known.rounding(k)))

    def _nearly(self, k: int) -> Flags:
        """Say for every form whether it leaves a hundredth of the error of case k, or less."""
        found = np.zeros(len(self.known.forms), bool)
        for places, value in self.known.alone(k):
            if isinstance(value, np.ndarray) and len(value) == len(places) > 1:
                found[places] = self._likely(value, k, 0.1 * self.closeness[k])
        return found

    # ------------------------------------------------------------ one mistake

    def single(self) -> Form | None:
        """Return the one switch that explains everything, if there is one."""
        # a case with a value tells more than one that raised, a single call costs less than many
        first = min(self.failing, key=lambda k: not self._numbers(k))
        for n in np.flatnonzero(self.matching(first)):
            form = self.known.forms[n]
            if self._explains_all((form,)):
                return form
        return None

    def constant(self, state: Mistakes) -> Switch | None:
        """Return a mistake in a number that, besides those of state, explains everything."""
        known, exercise = self.known, self.known.exercise
        stacking, common = exercise.stacking, known.pieces(state) or {}
        wrong = [k for k in self.failing if self._numbers(k) and known.tells(k)
                 and known.can_stack(k) and isinstance(self.got[k], np.ndarray)
                 and not self.explains(state, k)]  # fmt: skip
        if stacking is None or not wrong:
            return None
        for family in exercise.constants:
            for k in dict.fromkeys((wrong[0], wrong[-1])):
                for number in solve(family, stacking, exercise.reference,
                                    known.cases[k].calls[0], self.got[k], common):  # fmt: skip
                    if self._explained_by({**common, **family.make(number)}):
                        value = f"{number:.6g}" if self.quoted else "another number"
                        return Switch(
                            family.id, family.title, family.message.format(value=value),
                            family.section, family.part, (family.make(number),),
                        )  # fmt: skip
        return None

    def _explained_by(self, pieces: Pieces) -> bool:
        """Say whether the function with these methods gives what came, on every case."""
        known = self.known
        model = make_variant(known.exercise, pieces)
        return all(
            isinstance(self.got[k], Raised)
            or first_difference(
                self.got[k], run_case(known.exercise, model, known.cases[k]),
                max(min(NEAR, max(self.closeness[k], 1e-9)), known.rounding(k)),
            ) is None
            for k in (*self.failing, *self.passing)
        )  # fmt: skip

    # ------------------------------------------------------------ two mistakes

    def pair(self) -> Mistakes | None:
        """Return two mistakes that explain everything, if few enough runs find them.

        A mistake that by itself would spoil a case that is right is out. Of two mistakes, each
        case that is wrong shows one or both; if one, then that one explains the case alone.
        """
        known = self.known
        free = known.combinable.copy()
        telling = [k for k in range(len(self.got)) if self._numbers(k) and known.tells(k)]
        wrong = [k for k in telling if k in set(self.failing)]
        for k in telling:
            if k not in wrong:
                free &= ~known.changes(k)
        if not wrong:
            return None
        free &= np.any([known.changes(k) for k in wrong], axis=0)
        places = np.flatnonzero(free)
        reshape = self._reshaping(places, wrong)
        places = np.concatenate([reshape, np.setdiff1d(places, reshape)])
        shows = {k: known.changes(k)[places] for k in wrong}
        fits = {k: shows[k] & self.matching(k)[places] for k in wrong}
        possible = np.triu(np.ones((len(places), len(places)), bool), k=1)
        if len(reshape):
            possible[len(reshape) :] = False
            possible[:, : len(reshape)] = False
        some = possible.copy()
        told = np.zeros_like(possible)  # pairs of which one alone explains a case, or nearly
        for k in wrong:
            both = np.logical_and.outer(shows[k], shows[k])
            one = np.logical_or.outer(shows[k], shows[k])
            either = np.logical_or.outer(fits[k], fits[k]) & one & ~both
            possible &= both | either
            some &= one
            near = self._nearly(k)[places] & shows[k]
            told |= either | (both & np.logical_or.outer(near, near))
        reveals, wide = known.reveals([known.forms[n] for n in places])
        some &= ~possible
        narrow = some & ((reveals & ~wide[:, None]) | (reveals & ~wide[:, None]).T)
        some &= (reveals | reveals.T) & ~narrow
        later = np.array([min(known.forms[n][1], 1) for n in places])
        rank = np.add.outer(later, later)  # the usual ways of both mistakes first
        rest = possible & ~told
        for pairs in (possible & told, rest & (rank == 0), narrow & (rank < 2), some & (rank == 0),
                      rest & (rank == 1), narrow & (rank == 2), some & (rank == 1),
                      rest & (rank == 2)):  # fmt: skip
            found = self._try_pairs(places, pairs, shows)
            if found is not None:
                return found
        return None

    def _reshaping(self, places: Any, wrong: list[int]) -> Any:
        """Return the mistakes that give the shape that came, where that is not the one due."""
        known = self.known
        odd = [k for k in wrong if known.can_stack(k) and isinstance(self.got[k], np.ndarray)
               and np.shape(self.got[k]) != np.shape(known.expected[k])]  # fmt: skip
        if not odd:
            return np.zeros(0, int)
        shape = np.shape(self.got[odd[-1]])
        return np.array([
            n for n in places
            if isinstance(value := known.value((known.forms[n],), odd[-1]), np.ndarray)
            and value.shape == shape
        ], int)  # fmt: skip

    def _try_pairs(self, places: Any, pairs: Flags, shows: dict[int, Flags]) -> Mistakes | None:
        forms = [self.known.forms[n] for n in places]
        cases = sorted(shows, key=lambda k: _size(self.got[k]))
        partners = pairs.sum(axis=1)
        order = np.argsort(partners, kind="stable")[int((partners == 0).sum()) :]  # few first
        for a in order if self.known.exercise.stacking else np.sort(order):
            for k, others in _by_case(pairs[a], int(a), cases, shows):
                if self.left <= 0:
                    return None
                for pair in self._both((), forms[a], [forms[b] for b in others], k):
                    if self._explains_all(pair):
                        return pair
        return None

    def _both(self, state: Mistakes, a: Form, others: Sequence[Form], k: int) -> Iterator[Mistakes]:
        """Yield the sets (state, a, one of the others) that are likely to explain case k."""
        known = self.known
        others = [b for b in others if known.compatible((*state, a), b)]
        together = [b for b in others if known.stacks(b)] if known.can_stack(k) else []
        if len(together) > 3 and known.stacks(a):
            self._spend(1 + SIDE_BY_SIDE * len(together), k)
            values = known.side_by_side(together, (*state, a), k)
            if values is not None:
                likely = self._likely(values[1:], k)
                yield from ((*state, a, together[n]) for n in np.flatnonzero(likely))
                if self._as_alone(values[0], (*state, a), k):
                    others = [b for b in others if not known.stacks(b)]
            else:
                others = [b for b in others if not known.stacks(b)]
        for b in others:
            if self.left > 0 and self.explains((*state, a, b), k):
                yield *state, a, b

    def _as_alone(self, value: Any, mistakes: Mistakes, k: int) -> bool:
        """Say whether a value that was made side by side is what the mistakes give alone.

        It is not where a mistake mixes the sequences of a batch, and so the variants.
        """
        alone = self.known.value(mistakes, k)
        return isinstance(alone, np.ndarray) and first_difference(value, alone, NEAR) is None

    # ------------------------------------------------------------ more mistakes

    def step_by_step(self, pairs: bool) -> Explanation:
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
                kept = self._extend(states, order[: step + 1], pairs)
            if not kept:
                self.reached = states[0]
                return replace(self.explained(states[0]), stuck=known.cases[k])
            states = kept[:BEAM]
        return self.explained(min(states, key=len))

    def explained(self, state: Mistakes, *constants: Switch) -> Explanation:
        """Return what these mistakes, and those in a number, are called and replace."""
        pieces = self.known.pieces(state) or {}
        for constant in constants:
            pieces |= constant.forms[0]
        named = dict.fromkeys(self.known.switch(form) for form in state)
        return Explanation((*named, *constants), None, pieces)

    def _extend(self, states: list[Mistakes], seen: list[int], pairs: bool) -> list[Mistakes]:
        """Add one switch, or else two, so that the newest case and all before it are explained."""
        newest = seen[-1]
        found: list[Mistakes] = []
        for state in states:  # the likeliest first; the others only while much is left
            if found and self.left < 0.4 * self.known.exercise.runs:
                break
            found += [new for new in self._one_more(state, newest) if self._explains_all(new, seen)]
        if found or not pairs or isinstance(self.got[newest], Raised):
            return found
        for state in states[:2]:
            free = self._free(state)
            shown = [form for form in free if self.known.changes(newest)[self.known.place[form]]]
            shown.sort(key=lambda form: form[1])
            for n, a in enumerate(shown):
                if self.left <= 0:
                    return found
                found += [new for new in self._both(state, a, shown[n + 1 :], newest)
                          if self._explains_all(new, seen)]  # fmt: skip
                if found and a[1]:
                    return found
        return found

    def _one_more(self, state: Mistakes, k: int) -> Iterator[Mistakes]:
        if not state:
            for n in np.flatnonzero(self.matching(k) & self.known.combinable):
                yield (self.known.forms[n],)
            return
        *before, last = state
        yield from self._both(tuple(before), last, self._free(state), k)

    def _free(self, state: Mistakes) -> list[Form]:
        return [
            form for form, combines in zip(self.known.forms, self.known.combinable, strict=True)
            if combines and self.known.compatible(state, form)
        ]  # fmt: skip
