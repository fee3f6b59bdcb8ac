"""What two confined children could tell each other, or learn of other processes."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import time

import pytest

from course_lib.grading.wall.linux_calls import libc
from course_lib.grading.wall.syscall_numbers import number

PARENT = os.getpid()
WAKE, PRIVATE, PRIO_PROCESS, PRIO_USER = 1, 128, 0, 2
# An id of a clock names a process by its complement: CPU time, in nanoseconds, of all its threads.
PARENTS_CLOCK = (~PARENT << 3) | 2


def call(name: str, *arguments: int | ctypes.c_void_p) -> int:
    """Make a system call, past what the C library makes of it."""
    result = int(libc().syscall(number(name), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


SHARED = mmap.mmap(-1, 4096)  # as children share what a library's file is mapped to


def wake_others() -> int:
    """Wake those who wait at a place of memory that is shared."""
    place = ctypes.addressof(ctypes.c_int.from_buffer(SHARED))
    return call("futex", ctypes.c_void_p(place), WAKE, 1, 0, 0, 0)


OF_OTHERS = {
    "a futex in shared memory": wake_others,
    "another's processors": lambda: len(os.sched_getaffinity(PARENT)),
    "another's scheduling": lambda: os.sched_getscheduler(PARENT),
    "another's scheduling parameters": lambda: os.sched_getparam(PARENT).sched_priority,
    "another's process group": lambda: os.getpgid(PARENT),
    "another's session": lambda: os.getsid(PARENT),
    "another's priority": lambda: os.getpriority(PRIO_PROCESS, PARENT),
    "a user's priority": lambda: os.getpriority(PRIO_USER, 0),
    "another's computing time": lambda: time.clock_gettime(PARENTS_CLOCK),
    "the resolution of another's clock": lambda: time.clock_getres(PARENTS_CLOCK),
}
OF_ONESELF = {
    "a private futex": lambda: call(
        "futex", ctypes.c_void_p(ctypes.addressof(ctypes.c_int())), WAKE | PRIVATE, 1, 0, 0, 0
    ),
    "own processors": lambda: len(os.sched_getaffinity(0)) + len(os.sched_getaffinity(os.getpid())),
    "own scheduling": lambda: os.sched_getscheduler(0),
    "own process group": lambda: os.getpgid(0) and 0,
    "own priority": lambda: os.getpriority(PRIO_PROCESS, 0),
    "own clocks": lambda: time.process_time() and time.thread_time() and time.monotonic() and 0,
}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_what_concerns_others_is_refused(confined, name):
    attempt = OF_OTHERS[name]
    assert not confined.free(attempt).error
    outcome = confined(attempt)
    assert outcome.number == errno.EPERM, outcome


@pytest.mark.parametrize("name", OF_ONESELF)
def test_the_same_of_oneself_is_allowed(confined, name):
    assert not confined(OF_ONESELF[name]).refused
