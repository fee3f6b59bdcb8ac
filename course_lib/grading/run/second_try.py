"""A second try where the machine ran out of memory and killed a process over a notebook.

It may have killed the wrong one. What the answer brings about itself, its own end included, gets no
second try: else a guess by chance would have two.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from course_lib.grading.result import Result

KILLED = ("memory", "crash")  # limits that a kill from outside looks like
BROKE_OFF = "broke_off"  # the remark of a judge that ended in the middle
EVENTS = Path("/proc/vmstat")


def grade_surely(grade: Callable[[Any], Result], job: Any) -> Result:
    """Grade a job; if the system killed a process over it, once more, in the time that is left."""
    start, kills = time.monotonic(), memory_kills()
    first = grade(job)
    if not was_killed(first) or memory_kills() == kills:
        return first
    limit = job.settings.limits.judge_seconds
    spent = job.spent + time.monotonic() - start
    return grade(replace(job, spent=spent)) if spent < 0.9 * limit else first


def was_killed(result: Result) -> bool:
    """Return whether a process was killed, or ended itself, over this notebook."""
    return any(cell.limit in KILLED for cell in result.cells) or any(
        remark.kind == BROKE_OFF for remark in result.remarks
    )


def memory_kills() -> int:
    """Return how many processes the kernel has killed for want of memory; 0 where none tells."""
    try:
        lines = EVENTS.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
