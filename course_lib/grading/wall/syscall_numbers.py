"""System call numbers of the two architectures that the wall knows.

x86-64 has a table of its own; aarch64 uses the kernel's generic one, which leaves out calls that
newer ones replace (None). Checked against the kernel's headers: asm/unistd_64.h and
asm-generic/unistd.h.
"""

from __future__ import annotations

import os
import struct

from .policy import WallError

ARCHITECTURES = ("x86_64", "aarch64")

# name: (x86-64, aarch64)
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "fadvise64": (221, 223),
    "umask": (95, 166),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "msync": (26, 227),
    "mincore": (27, 232),
    "membarrier": (324, 283),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getsid": (124, 156),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getpriority": (140, 141),
    "getcpu": (309, 168),
    "getrlimit": (97, 163),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "rseq": (334, 293),
    "futex": (202, 98),
    "restart_syscall": (219, 128),
    "getrandom": (318, 278),
    "prctl": (157, 167),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "socketpair": (53, 199),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "getsockopt": (55, 209),
    "clone3": (435, 435),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "seccomp": (317, 277),
    "capset": (126, 91),
}
NEWEST = 450
"""No number above it was known when the table was made; 450 is set_mempolicy_home_node."""


def architecture() -> str:
    """Return the architecture of this interpreter's processor, as the kernel names it."""
    return os.uname().machine


def supported_architecture() -> bool:
    """Whether the table has this machine, and the interpreter is a 64-bit one."""
    return architecture() in ARCHITECTURES and struct.calcsize("P") == 8


def numbers_for(machine: str) -> dict[str, int]:
    """Return {name: number} of the calls that this architecture has."""
    column = ARCHITECTURES.index(machine)
    return {name: row[column] for name, row in NUMBERS.items() if row[column] is not None}  # type: ignore[misc]


def number(name: str) -> int:
    """Return the number of a call on this machine.

    Raises:
        WallError: the machine is neither x86-64 nor aarch64, or has no such call.
    """
    if not supported_architecture():
        raise WallError(f"no system call numbers for {architecture()}, only for {ARCHITECTURES}")
    found = NUMBERS[name][ARCHITECTURES.index(architecture())]
    if found is None:
        raise WallError(f"{architecture()} has no system call {name}")
    return found
