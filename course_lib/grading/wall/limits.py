"""Limits of one process that the kernel itself keeps (setrlimit)."""

from __future__ import annotations

import math
import os
import sys

from .policy import Policy

if sys.platform != "win32":  # which has none, and must still be able to say what it lacks
    import resource


def mapped_bytes() -> int:
    """Return the bytes of address space that this process has mapped."""
    statm = os.open("/proc/self/statm", os.O_RDONLY)
    pages = int(os.read(statm, 100).split()[0])
    os.close(statm)
    return pages * os.sysconf("SC_PAGE_SIZE")


def thread_count() -> int:
    """Return how many threads this process has."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - five times faster, and once a job


def lower_limits(policy: Policy) -> None:
    """Lower the limits of this process for good.

    No file may grow by writing, no process or thread may be started (a second lock, where root's
    id does not lift it), no memory locked, no queue made, no core dumped. No signal is queued: the
    kernel counts these over all processes of a user, so two could pass numbers by them; a signal
    still comes once. At `cpu_seconds` the kernel sends SIGXCPU, and SIGKILL a second later. The
    stack keeps its limit.

    Raises:
        OSError, ValueError: the kernel refused.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = math.ceil(usage.ru_utime + usage.ru_stime + policy.cpu_seconds)
    memory = mapped_bytes() + policy.memory
    limits = {
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NOFILE: (policy.open_files, policy.open_files),
        resource.RLIMIT_NPROC: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_SIGPENDING: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, (soft, hard) in limits.items():
        highest = resource.getrlimit(kind)[1]
        if highest != resource.RLIM_INFINITY:
            soft, hard = min(soft, highest), min(hard, highest)  # noqa: PLW2901 - never raise one
        resource.setrlimit(kind, (soft, hard))
