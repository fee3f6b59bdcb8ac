"""A second try where a process was killed: it may have been the system's doing, not the answer's.

A machine short of memory kills some process, not the one to blame. What kills itself does so again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from course_lib.grading.result import Result

KILLED = ("memory", "crash")  # limits that a kill from outside looks like
BROKE_OFF = "broke_off"  # the remark of a judge that ended in the middle


def grade_surely(grade: Callable[[Any], Result], job: Any) -> Result:
    """Grade a job; once more, if a process was killed over it; the better result counts."""
    start = time.monotonic()
    first = grade(job)
    in_time = time.monotonic() - start < 0.9 * job.settings.limits.judge_seconds
    if not was_killed(first) or not in_time:
        return first
    second = grade(job)
    return first if was_killed(second) and first.score > second.score else second


def was_killed(result: Result) -> bool:
    """Return whether a process was killed, or ended itself, over this notebook."""
    return any(cell.limit in KILLED for cell in result.cells) or any(
        remark.kind == BROKE_OFF for remark in result.remarks
    )
