"""The system calls that a confined process may make; all others are refused.

Chosen by running what students run: NumPy, matplotlib's PNG files, IPython, asyncio, imports from
disk. Not on the list, on purpose: new processes and threads, new sockets, every call that changes
a file or its metadata (Landlock does not see chmod, chown, utime and extended attributes), memory
files, shared memory and queues, mounts, namespaces, ids, priorities, ptrace, io_uring, bpf,
perf, keys, and descriptors sent along a socket (sendmsg, recvmsg). Nor what tells or changes the
state of the whole machine, through which two notebooks could talk: the free memory and disk space
(sysinfo, statfs) and which files are cached (fadvise64, preadv2 with RWF_NOWAIT, mincore, msync,
madvise beyond a process's own memory).

Source of the numbers in the conditions: the kernel's uapi headers; all are the same on both
architectures.
"""

from __future__ import annotations

from dataclasses import dataclass


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


READING = _names("""
    read readv pread64 preadv write writev pwrite64 pwritev lseek close
    close_range dup dup2 dup3 access faccessat faccessat2 stat fstat lstat newfstatat statx
    readlink readlinkat getdents getdents64 getcwd chdir fchdir umask
""")
MEMORY = _names("munmap mprotect mremap brk membarrier")
SIGNALS = _names("""
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
    sigaltstack alarm setitimer getitimer
""")
CLOCKS = _names("""
    nanosleep gettimeofday time times getrusage
""")
ONESELF = _names("""
    getpid getppid gettid getuid geteuid getgid getegid getgroups getresuid getresgid
    getpgrp exit exit_group wait4 waitid sched_yield sched_get_priority_max sched_get_priority_min
    getcpu getrlimit setrlimit uname rseq restart_syscall getrandom
""")
WAITING = _names("""
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd
    eventfd2 timerfd_create timerfd_settime timerfd_gettime pipe pipe2 recvfrom shutdown
    getsockname getpeername
""")
ALLOWED = READING + MEMORY + SIGNALS + CLOCKS + ONESELF + WAITING

OWN_ID = 0xFFFF_FFFE
"""Stands for the id of the process that the filter is made for."""

# The C library falls back on an older call when these answer "no such call".
ABSENT = ("clone3", "openat2")


@dataclass(frozen=True)
class Condition:
    """One 32-bit half of an argument (counted from 0), masked, must have this value."""

    argument: int
    value: int
    mask: int = 0xFFFF_FFFF
    upper_half: bool = False


# Any of the alternatives allows the call; an alternative holds if all its conditions do.
Alternatives = tuple[tuple[Condition, ...], ...]


def _one_of(argument: int, *values: int) -> Alternatives:
    return tuple((Condition(argument, value),) for value in values)


O_ACCMODE, O_WRONLY, O_RDWR, O_TRUNC = 0o3, 0o1, 0o2, 0o1000
AF_UNIX, SOCK_STREAM, SOCK_TYPE_MASK = 1, 1, 0xF
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ = (
    0,
    1,
    2,
    3,
    4,
    1030,
    1032,
)
TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD = 0x5401, 0x802C_542A, 0x5413, 0x541B
FIONBIO, FIONCLEX, FIOCLEX = 0x5421, 0x5450, 0x5451
SOL_SOCKET, SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN = 1, 3, 4, 38, 39
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME, PRIO_PROCESS = 128, 256, 0
# WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET; the ones that inherit
# priorities look up the thread that the futex names, and tell whether there is one.
FUTEX_OPERATIONS = (0, 1, 3, 4, 5, 9, 10)
MAP_HUGETLB = 0x4_0000
CLOCKS_OF_ONESELF = range(12)  # a clock's id may also name another process
PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME = 2, 3, 15, 16
PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS = 21, 23, 39


def _opening(flags: int) -> Alternatives:
    # Read-only opening with O_TRUNC truncates, which Landlock does not see before version 3.
    return (
        (Condition(flags, 0, O_TRUNC),),
        (Condition(flags, O_WRONLY, O_ACCMODE),),
        (Condition(flags, O_RDWR, O_ACCMODE),),
    )


# What the arguments of some calls must be.
CONDITIONAL: dict[str, Alternatives] = {
    "open": _opening(1),
    "openat": _opening(2),
    # No owner or signal of a descriptor: that is a way to send signals.
    "fcntl": _one_of(1, F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ),
    "ioctl": _one_of(1, TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX),
    # Signals to oneself: raise(), abort(), faulthandler.
    "kill": _one_of(0, OWN_ID),
    "tkill": _one_of(0, OWN_ID),
    "tgkill": _one_of(0, OWN_ID),
    "prlimit64": _one_of(0, 0, OWN_ID),
    # What others are and do is nobody's business: two notebooks could talk by it.
    **dict.fromkeys(
        ("sched_getaffinity", "sched_getparam", "sched_getscheduler", "getpgid", "getsid"),
        _one_of(0, 0, OWN_ID),
    ),
    "getpriority": tuple(
        (Condition(0, PRIO_PROCESS), Condition(1, whose)) for whose in (0, OWN_ID)
    ),
    **dict.fromkeys(
        ("clock_gettime", "clock_getres", "clock_nanosleep"), _one_of(0, *CLOCKS_OF_ONESELF)
    ),
    # A futex that is not private wakes whoever maps the same file, such as a library's.
    "futex": tuple(
        (Condition(1, FUTEX_PRIVATE | operation, 0xFFFF_FFFF ^ FUTEX_CLOCK_REALTIME),)
        for operation in FUTEX_OPERATIONS
    ),
    # Huge pages come from a pool of the whole machine; how many are left can be told.
    "mmap": ((Condition(3, 0, MAP_HUGETLB),),),
    "prctl": _one_of(
        0,
        PR_GET_PDEATHSIG,
        PR_GET_DUMPABLE,
        PR_SET_NAME,
        PR_GET_NAME,
        PR_GET_SECCOMP,
        PR_CAPBSET_READ,
        PR_GET_NO_NEW_PRIVS,
    ),
    # asyncio wakes itself through a pair of stream sockets. Datagram ones could be addressed.
    "socketpair": ((Condition(0, AF_UNIX), Condition(1, SOCK_STREAM, SOCK_TYPE_MASK)),),
    "sendto": ((Condition(4, 0), Condition(4, 0, upper_half=True)),),  # no address
    # NORMAL to DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE to DODUMP: what allocators say.
    "madvise": _one_of(2, *range(5), 8, 10, 11, *range(14, 18)),
    "getsockopt": tuple(
        (Condition(1, SOL_SOCKET), Condition(2, option))
        for option in (SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN)
    ),
}
