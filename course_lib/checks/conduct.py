"""How a function behaves apart from its values: loops, changed inputs, memory between calls."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.checks.calls import Submission
from course_lib.checks.exercise import LoopProbe
from course_lib.checks.observe import Outcome


def find_loops(submission: Submission, probes: Sequence[LoopProbe]) -> list[str] | None:
    """Return the axes over which the submission loops; None if that could not be seen.

    Each probe calls the function on two inputs that differ in one size. Code without a loop over
    that axis executes the same lines for both; a loop executes at least one more for each turn.
    """
    looping: list[str] = []
    for probe in probes:
        small = submission(*probe.small, count_steps=True).steps
        large = submission(*probe.large, count_steps=True).steps
        if small is None or large is None:
            return None
        if large - small >= 0.9 * probe.growth:
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
