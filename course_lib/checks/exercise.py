"""The vocabulary of this package: an `Exercise` has cases, parts, a reference and switches.

A reference is a class whose method `answer` is the right function, cut into small methods. A
switch is one classic mistake: the methods that it replaces. The wrong variant is then the
reference with those methods overridden, so two switches combine like any two subclasses.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from course_lib.checks.compare import Raised
from course_lib.checks.fitted import Constant
from course_lib.checks.side_by_side import Pieces, Stacking


@dataclass(frozen=True)
class Case:
    """One input, or several calls in a row, on which the function is tried.

    calls: the arguments of each call; the value is the single result, or the list of them.
    tried: the input in words, shown to the student; `secret` words only in the visible check.
    box: the part of the function that is at fault if this is the first case to fail.
    boxes: (name of another case, the part at fault if that one is right), to tell it closer.
    probe: arguments, and the part at fault if the result on these is right: a call that costs
        nothing, and which a right function may refuse.
    """

    name: str
    calls: tuple[tuple[Any, ...], ...]
    tried: str
    secret: str = ""
    box: str = ""
    tolerance: float = 1e-8
    boxes: tuple[tuple[str, str], ...] = ()
    probe: tuple[tuple[Any, ...], str] | None = None

    def story(self, visible: bool) -> str:
        """Say what was tried."""
        return f"{self.tried} ({self.secret})" if visible and self.secret else self.tried


@dataclass(frozen=True)
class Part:
    """Some of the points: earned if all its cases agree, or if the mistakes lie elsewhere.

    cases: names of cases, () for all of them. conduct: "loops", "inputs" or "repeat" for a part
    that is not about values. component: the index in a returned tuple, or the key in a
    digest, that the part is about. own: for the first part, that mistakes of other parts leave
    it alone; otherwise it stands for everything together.
    """

    key: str
    title: str
    points: float
    cases: tuple[str, ...] = ()
    conduct: str = ""
    component: int | str | None = None
    own: bool = False


@dataclass(frozen=True, eq=False)
class Switch:
    """One classic mistake.

    id: unique within the exercise; title: the mistake in a few words; message: the likely cause in
    a sentence or two; part: the key of the part that it costs (besides the whole).
    forms: one or more ways of making the mistake, each the methods of the reference it replaces.
    tolerance: how closely a submission must reproduce the variant.
    stateful: the mistake lies in what is kept between calls: one instance runs all cases in turn.
    alone: not tried together with other mistakes: too slow for that, or so lax that it would
        explain whatever it is combined with.
    also: the keys of further parts that it costs.
    """

    id: str
    title: str
    message: str
    section: str
    part: str
    forms: tuple[Pieces, ...]
    tolerance: float = 1e-7
    stateful: bool = False
    alone: bool = False
    also: tuple[str, ...] = ()

    @property
    def costs(self) -> tuple[str, ...]:
        """The keys of all parts that the mistake costs."""
        return self.part, *self.also


def switch(
    id: str,  # noqa: A002
    title: str,
    message: str,
    section: str,
    part: str,
    *forms: Pieces,
    tolerance: float = 1e-7,
    stateful: bool = False,
    alone: bool = False,
    also: tuple[str, ...] = (),
    **pieces: Any,
) -> Switch:
    """Make a `Switch`; name the replaced methods as keywords, or give several forms."""
    ways = (*forms, pieces) if pieces else forms
    return Switch(id, title, message, section, part, ways, tolerance, stateful, alone, also)


@dataclass(frozen=True)
class LoopProbe:
    """Two inputs that differ in one size only, by `growth`; a loop over it takes as many steps."""

    axis: str
    small: tuple[Any, ...]
    large: tuple[Any, ...]
    growth: int


def identity(values: list[Any]) -> Any:
    """Return the only result, or the list of all."""
    return values[0] if len(values) == 1 else values


@dataclass(frozen=True, eq=False)
class Exercise:
    """Everything the checks know about one exercise.

    runs: how many runs of wrong variants a search for mistakes may take, which is about a second.
    """

    name: str
    contract: str
    section: str
    reference: type
    make_cases: Callable[[int], list[Case]]
    parts: tuple[Part, ...]
    switches: tuple[Switch, ...]
    arguments: tuple[str, ...] = ()
    probes: Callable[[int], list[LoopProbe]] = field(default=lambda seed: [])
    digest: Callable[[list[Any]], Any] = identity
    locate: Callable[[Sequence[Case], Sequence[Any], Sequence[Any], bool], str] | None = None
    stacking: Stacking | None = None
    constants: tuple[Constant, ...] = ()
    runs: int = 12_000

    @property
    def max_score(self) -> float:
        """The points of a right answer."""
        return sum(part.points for part in self.parts)


def make_variant(exercise: Exercise, pieces: Pieces) -> Any:
    """Return a new instance of the reference with some pieces replaced."""
    return type("Variant", (exercise.reference,), dict(pieces))()


def run_case(exercise: Exercise, model: Any, case: Case) -> Any:
    """Return what a model gives on a case; an exception becomes `Raised`."""
    values: list[Any] = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args in case.calls:
            try:
                values.append(model.answer(*args))
            except Exception as error:
                values.append(Raised(type(error).__name__))
    return combine(exercise, values)


def combine(exercise: Exercise, values: list[Any]) -> Any:
    """Turn the results of a case's calls into its one value."""
    if len(values) == 1 and isinstance(values[0], Raised):
        return values[0]
    return exercise.digest(values)
