"""The filter of both architectures, run on an interpreter of the kernel's filter machine.

Only one architecture's filter can be loaded into the kernel that runs the tests.
"""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from course_lib.grading.wall.seccomp import assemble
from course_lib.grading.wall.syscall_numbers import ARCHITECTURES, NEWEST, NUMBERS, numbers_for

PID = 1234
ELF = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003}
ALLOWED, KILLED = "allowed", "killed"


def answer(machine, number, *arguments, elf=None):
    """Run the filter on one call: "allowed", "killed", or the error number."""
    words = [word % 2**64 for word in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("=IIQ6Q", number % 2**32, elf or ELF[machine], 0, *words)
    program = list(struct.iter_unpack("=HBBI", assemble(machine, PID)))
    here = register = 0
    while True:
        operation, yes, no, k = program[here]
        here += 1
        if operation == 0x20:
            (register,) = struct.unpack_from("=I", data, k)
        elif operation == 0x54:
            register &= k
        elif operation == 0x05:
            here += k
        elif operation == 0x06:
            if k == 0x7FFF0000:
                return ALLOWED
            return KILLED if k == 0x80000000 else k - 0x00050000
        else:
            compare = {0x15: register == k, 0x25: register > k, 0x35: register >= k}
            here += yes if compare[operation] else no


@pytest.fixture(params=ARCHITECTURES)
def machine(request):
    return request.param


@pytest.fixture
def call(machine):
    """call(name, *arguments): what the filter answers."""
    numbers = numbers_for(machine)
    return lambda name, *arguments: answer(machine, numbers[name], *arguments)


def test_only_this_architecture(machine):
    for other, elf in ELF.items():
        expected = ALLOWED if other == machine else KILLED
        assert answer(machine, numbers_for(machine)["read"], elf=elf) == expected


def test_number_by_number(machine):
    """Each number but the ones of the table is refused; newer ones look absent."""
    numbers = numbers_for(machine)
    for number in set(range(NEWEST + 1)) - set(numbers.values()):
        assert answer(machine, number) == errno.EPERM, number
    for number in (NEWEST + 1, 500, 1000, 0x3FFFFFFF):
        assert answer(machine, number) == errno.ENOSYS
    for name in ("landlock_restrict_self", "seccomp", "capset"):
        assert answer(machine, numbers[name]) == errno.EPERM


def test_calls_that_the_library_falls_back_from(call):
    assert call("clone3") == call("openat2") == errno.ENOSYS


def test_signals_only_to_oneself(call):
    for name in ("kill", "tgkill", "tkill"):
        assert call(name, PID, 15) == ALLOWED
        for other in (PID + 1, 0, 1, -1, -PID):
            assert call(name, other, 15) == errno.EPERM
    # The kernel looks at 32 bits of a process id: the rest may be anything.
    assert call("kill", PID + 2**32, 15) == ALLOWED


def test_opening_to_read_cannot_truncate(call):
    for flags in (0, 1, 2, 0o1 | 0o1000, 0o2 | 0o1000, 0o100 | 0o1):
        assert call("openat", 0, 0, flags) == ALLOWED
    for flags in (0o1000, 0o1003, 0o1100):
        assert call("openat", 0, 0, flags) == errno.EPERM


def test_sockets(call):
    assert call("socketpair", 1, 1) == ALLOWED
    assert call("socketpair", 1, 1 | 0o2000000 | 0o4000) == ALLOWED  # close-on-exec, non-blocking
    assert call("socketpair", 1, 2) == call("socketpair", 1, 5) == errno.EPERM
    assert call("socketpair", 2, 1) == call("socketpair", 16, 1) == errno.EPERM
    assert call("sendto", 3, 0, 0, 0, 0, 0) == ALLOWED
    assert call("sendto", 3, 0, 0, 0, 0x7F00_0000_1000, 16) == errno.EPERM
    assert call("sendto", 3, 0, 0, 0, 2**32, 16) == errno.EPERM
    assert call("getsockopt", 3, 1, 3) == ALLOWED
    assert call("getsockopt", 3, 1, 77) == errno.EPERM  # SO_PEERPIDFD: a hold on the judge


def test_prctl_reads_and_names_only(call):
    assert call("prctl", 15) == call("prctl", 39) == ALLOWED
    for option in (1, 4, 22, 24, 36, 38, 47, 0x59616D61):
        assert call("prctl", option) == errno.EPERM


def test_limits_of_others(call):
    assert call("prlimit64", 0) == call("prlimit64", PID) == ALLOWED
    assert call("prlimit64", PID + 1) == call("prlimit64", 1) == errno.EPERM


def test_private_futexes_that_name_no_thread(call):
    for operation in (0, 1, 3, 4, 5, 9, 10):
        assert call("futex", 0, operation | 128) == call("futex", 0, operation | 384) == ALLOWED
        assert call("futex", 0, operation) == call("futex", 0, operation | 256) == errno.EPERM
    for inheriting in (6, 7, 8, 11, 12, 13):
        assert call("futex", 0, inheriting | 128) == errno.EPERM
    assert call("futex", 0, 2 | 128) == errno.EPERM  # FUTEX_FD, which sent signals


def test_clocks_of_oneself(call):
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        assert [call(name, clock) for clock in range(12)] == [ALLOWED] * 12
        for other in (12, ~PID << 3 | 2, ~(PID + 1) << 3 | 2, ~3 << 3 | 3, -1):
            assert call(name, other) == errno.EPERM


def test_no_memory_of_the_machines_pool(call):
    assert call("mmap", 0, 4096, 3, 0x22) == call("mmap", 0, 4096, 1, 0x1) == ALLOWED
    assert call("mmap", 0, 4096, 3, 0x40022) == call("mmap", 0, 4096, 3, 0x54040022) == errno.EPERM


def test_x32(machine):
    expected = KILLED if machine == "x86_64" else errno.ENOSYS
    assert answer(machine, 0x40000000) == answer(machine, 0x40000000 + 41) == expected
    assert answer(machine, -1) == expected


HEADERS = {
    "x86_64": (
        Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        Path("/usr/include/asm/unistd_64.h"),
    ),
    "aarch64": (Path("/usr/include/asm-generic/unistd.h"),),
}


def test_numbers_are_those_of_the_kernel_headers(machine):
    header = next((path for path in HEADERS[machine] if path.exists()), None)
    if header is None:
        pytest.skip("the kernel's headers are not installed (Debian: linux-libc-dev)")
    lines = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    known = {name: int(number) for name, number in lines}
    known.setdefault("newfstatat", known.get("fstatat"))
    for name, number in numbers_for(machine).items():
        assert known[name] == number, name
    missing = set(NUMBERS) - set(numbers_for(machine))
    assert not missing & set(known)
