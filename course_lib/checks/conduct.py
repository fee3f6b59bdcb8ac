"""How a function behaves apart from its values: loops, changed inputs, memory between calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from course_lib.checks.calls import Submission
from course_lib.checks.exercise import LoopProbe
from course_lib.checks.observe import Outcome


def find_loops(
    submission: Submission,
    probes: Sequence[LoopProbe],
    believable: Callable[[tuple[Any, ...], Outcome], bool],
) -> list[str] | None:
    """Return the axes over which the submission loops; None if that could not be seen.

    Each probe calls the function on two inputs that differ in one size. Code without a loop over
    that axis executes the same lines for both; a loop executes at least one more for each turn.
    believable: says of arguments and outcome whether that is the function's true result, so that
    it is no use to return at once where lines are counted.
    """
    looping: list[str] = []
    for probe in probes:
        steps = []
        for args in (probe.small, probe.large):
            outcome = submission(*args, count_steps=True)
            if outcome.steps is None or not believable(args, outcome):
                return None
            steps.append(outcome.steps)
        if steps[1] - steps[0] >= 0.9 * probe.growth:
            looping.append(probe.axis)
    return looping


def changed_arguments(outcomes: Sequence[Outcome], names: Sequence[str]) -> list[str]:
    """Name the arguments that any of the calls changed, as a student would write them."""
    found: dict[str, None] = {}
    for outcome in outcomes:
        for place in outcome.changed:
            index, _, rest = place.removeprefix("[").partition("]")
            name = names[int(index)] if index.isdigit() and int(index) < len(names) else index
            found[name + rest] = None
    return list(found)


def writes_to_read_only(outcome: Outcome) -> bool:
    """Say whether a call failed because it tried to write to a read-only argument."""
    return outcome.error is not None and "read-only" in outcome.error.text


def writable(value: Any) -> Any:
    """Return a copy of arguments whose arrays may be written to, in the same memory order."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, dict):
        return {key: writable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(writable(item) for item in value)
    return value
