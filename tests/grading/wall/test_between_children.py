"""What two confined children could tell each other, or learn of other processes."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import time
from pathlib import Path

import pytest

from course_lib.grading.wall import Policy
from course_lib.grading.wall.linux_calls import libc
from course_lib.grading.wall.syscall_numbers import number

PARENT = os.getpid()
WAIT, WAKE, LOCK_PI, TRYLOCK_PI, PRIVATE, PRIO_PROCESS, PRIO_USER = 0, 1, 6, 8, 128, 0, 2
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


LOCKS_AND_NOTICES = {
    "F_GETLK": 5,
    "F_SETLK": 6,
    "F_SETLKW": 7,
    "F_SETOWN": 8,
    "F_GETOWN": 9,
    "F_SETSIG": 10,
    "F_OFD_GETLK": 36,
    "F_OFD_SETLK": 37,
    "F_SETLEASE": 1024,
    "F_GETLEASE": 1025,
    "F_NOTIFY": 1026,
    "F_SETPIPE_SZ": 1031,
    "F_ADD_SEALS": 1033,
    "F_SET_RW_HINT": 1036,
}


@pytest.mark.parametrize("name", LOCKS_AND_NOTICES)
def test_locks_leases_and_notices_of_files_are_refused(confined, name):
    assert confined(lambda: call("fcntl", 0, LOCKS_AND_NOTICES[name], 0)).number == errno.EPERM


def place_in(path: Path) -> ctypes.c_void_p:
    """Map a file to read, shared with all who map it, and return where."""
    libc().mmap.restype = ctypes.c_void_p
    with path.open("rb") as file:
        address = libc().mmap(
            None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0
        )
    return ctypes.c_void_p(address)


def wait_at(path: Path) -> None:
    """Wait for two seconds to be woken by whoever has mapped the file, too."""
    call(
        "futex", place_in(path), WAIT, int.from_bytes(b"code", "little"), (ctypes.c_long * 2)(2, 0)
    )


def wake_at(path: Path) -> int:
    """Wake those who wait there, trying for a second; return how many were woken."""
    place, deadline = place_in(path), time.monotonic() + 1
    while time.monotonic() < deadline:
        if woken := call("futex", place, WAKE, 1, 0, 0, 0):
            return woken
        time.sleep(0.01)
    return 0


@pytest.fixture
def library(room):
    """A file that two children may read, as a library's code."""
    path = room / "library.so"
    path.write_bytes(b"code" * 1024)
    return path


def test_two_children_cannot_wake_each_other(confined, library):
    policy = Policy((str(library),), (), 2**28, 5.0)
    with confined.beside(lambda: wait_at(library), None) as waited:
        assert confined.free(lambda: wake_at(library)).value == 1
        assert waited() == 0
    with confined.beside(lambda: wait_at(library), policy) as waited:
        assert confined(lambda: wake_at(library), policy).number == errno.EPERM
        assert waited() == errno.EPERM


SIGNAL = signal.SIGRTMIN + 3


def queue_signals(count: int) -> None:
    """Let so many signals wait, which the kernel counts for all processes of the user."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {SIGNAL})
    for _ in range(count):
        os.kill(os.getpid(), SIGNAL)


def more_can_be_queued(limit: int) -> bool:
    """Whether two signals can wait, if the user's processes may have so many in all."""
    hard = resource.getrlimit(resource.RLIMIT_SIGPENDING)[1]
    highest = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (highest, hard))
    queue_signals(2)
    return sum(signal.sigtimedwait({SIGNAL}, 0) is not None for _ in range(2)) == 2


@pytest.mark.parametrize("limit", [500, 5000])
def test_signals_that_wait_cannot_be_counted_by_another(confined, limit):
    with confined.beside(lambda: queue_signals(1000), None) as queued:
        assert queued() == 0
        assert confined.free(lambda: more_can_be_queued(limit)).value == (limit == 5000)
    for count in (0, 1000):
        with confined.beside(lambda count=count: queue_signals(count)) as queued:
            assert queued() == 0
            assert confined(lambda: more_can_be_queued(limit)).value is False


def test_a_futex_does_not_tell_which_threads_there_are(confined):
    def look_up(thread: int, operation: int) -> int:
        word = ctypes.c_uint32(thread)
        try:
            return call("futex", ctypes.byref(word), operation | PRIVATE, 0, 0, 0, 0)
        except OSError as error:
            return error.errno or 0

    def answers() -> list[int]:
        threads = (PARENT, 2**22 - 1)
        return [look_up(thread, way) for thread in threads for way in (LOCK_PI, TRYLOCK_PI)]

    assert errno.ESRCH in confined.free(answers).value
    assert confined(answers).value == [errno.EPERM] * 4


def test_a_file_cannot_be_locked_against_another(confined, library):
    policy = Policy((str(library),), (), 2**28, 5.0)

    def lock() -> None:
        with library.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    assert not confined.free(lock).error
    assert confined(lock, policy).number == errno.EPERM


def test_other_processes_cannot_be_listed(confined):
    """Nor found one by one: what is asked of an id that exists is refused as of one that does not.

    Behind bubblewrap they have no ids at all.
    """

    def answers() -> list[int | None]:
        found = []
        for process in (PARENT, 2**22 - 1):
            for ask in (lambda p=process: os.kill(p, 0), lambda p=process: os.getpgid(p)):
                try:
                    found.append(ask() and 0)
                except OSError as error:
                    found.append(error.errno)
        return found

    assert confined(lambda: len(list(Path("/proc").iterdir()))).refused
    assert confined(answers).value == [errno.EPERM] * 4


def test_what_the_wall_does_not_keep_of_files_without_bubblewrap(confined, secret, library):
    """Times, sizes, owners and the targets of links of files that may not be read: see docs."""
    link = secret.with_name("link")
    link.symlink_to(secret)
    os.utime(library, (10**9, 2 * 10**9))
    policy = Policy((str(library),), (), 2**28, 5.0)

    def seen() -> list[object]:
        status = secret.stat()
        return [status.st_size, status.st_uid, str(link.readlink()), library.stat().st_atime]

    before = confined(seen).value
    assert before == [secret.stat().st_size, confined.uid, str(secret), 10**9]
    assert confined(lambda: len(library.read_bytes()), policy).value == 4096
    assert confined(seen).value[:3] == before[:3]
    # Unless the file system keeps no such times.
    assert confined(seen).value[3] == library.stat().st_atime
