"""The system call filter: a small assembler for the kernel's filter machine (classic BPF).

The filter is a list of instructions that the kernel runs before each system call, on a record of
its architecture, number and arguments. Calls that are always allowed cost nothing: since Linux
5.11 the kernel remembers the answer by number.

Source: the kernel's Documentation/userspace-api/seccomp_filter.rst and linux/filter.h.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from functools import cache

from .allow_list import ABSENT, ALLOWED, Alternatives, Condition, conditional
from .linux_calls import syscall
from .syscall_numbers import NEWEST, numbers_for

LOAD_WORD, AND, RETURN = 0x20, 0x54, 0x06  # BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_RET|K
JUMP_EQUAL, JUMP_GREATER, JUMP_GREATER_OR_EQUAL = 0x15, 0x25, 0x35  # BPF_JMP|J..|K
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16  # offsets in struct seccomp_data
KILL, REFUSE, ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000  # SECCOMP_RET_…
ELF_ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}  # AUDIT_ARCH_…
X32_BIT = 0x4000_0000  # x86-64's second table of calls, with 32-bit pointers
SECCOMP_SET_MODE_FILTER, SPEC_ALLOW = 1, 1 << 2

Instruction = tuple[int, int, int, int]  # operation, operand, instructions to skip if true, if not


def _load(offset: int) -> Instruction:
    return LOAD_WORD, offset, 0, 0


def _return(value: int) -> Instruction:
    return RETURN, value, 0, 0


def _unless(jump: int, operand: int, block: list[Instruction]) -> list[Instruction]:
    """Run the block where the comparison is true, skip it where it is not."""
    return [(jump, operand, 0, len(block)), *block]


def _test(condition: Condition, skip: int) -> list[Instruction]:
    """Load half an argument; go on if it fits, else skip so many instructions."""
    offset = ARGUMENTS_AT + 8 * condition.argument + 4 * condition.upper_half
    masked = [] if condition.mask == 0xFFFF_FFFF else [(AND, condition.mask, 0, 0)]
    return [_load(offset), *masked, (JUMP_EQUAL, condition.value, 0, skip)]


def _alternatives(alternatives: Alternatives) -> list[Instruction]:
    """Allow if all conditions of one alternative hold, else refuse."""
    block: list[Instruction] = []
    for conditions in alternatives:
        part = [_return(ALLOW)]
        for condition in reversed(conditions):
            part = [*_test(condition, len(part)), *part]
        block += part
    return [*block, _return(REFUSE | errno.EPERM)]


def assemble(machine: str, pid: int) -> bytes:
    """Return the filter for a process of that id on "x86_64" or "aarch64".

    A call of another architecture ends the process, an unknown newer one is answered with
    ENOSYS as an older kernel would, all else that is not on the list with EPERM.
    """
    return _unconditional(machine) + _encode(_tail(machine, pid))


@cache
def _unconditional(machine: str) -> bytes:
    numbers = numbers_for(machine)
    head = [
        _load(ARCHITECTURE_AT),
        (JUMP_EQUAL, ELF_ARCHITECTURES[machine], 1, 0),
        _return(KILL),
        _load(NUMBER_AT),
    ]
    if machine == "x86_64":
        head += _unless(JUMP_GREATER_OR_EQUAL, X32_BIT, [_return(KILL)])
    for name in ALLOWED:
        if name in numbers:
            head += _unless(JUMP_EQUAL, numbers[name], [_return(ALLOW)])
    return _encode(head)


def _tail(machine: str, pid: int) -> list[Instruction]:
    numbers = numbers_for(machine)
    tail: list[Instruction] = []
    for name, alternatives in conditional(pid).items():
        if name in numbers:
            tail += _unless(JUMP_EQUAL, numbers[name], _alternatives(alternatives))
    for name in ABSENT:
        tail += _unless(JUMP_EQUAL, numbers[name], [_return(REFUSE | errno.ENOSYS)])
    tail += _unless(JUMP_GREATER, NEWEST, [_return(REFUSE | errno.ENOSYS)])
    return [*tail, _return(REFUSE | errno.EPERM)]


def _encode(instructions: list[Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", code, yes, no, k) for code, k, yes, no in instructions)


def install(program: bytes) -> None:
    """Put the filter on this thread for good; needs no_new_privs.

    Without SPEC_ALLOW older kernels slow all code of the process down, to protect it from itself.

    Raises:
        OSError: the kernel refused.
    """
    instructions = ctypes.create_string_buffer(program, len(program))
    address = ctypes.addressof(instructions)
    header = struct.pack("@HP", len(program) // 8, address)
    syscall("seccomp", SECCOMP_SET_MODE_FILTER, SPEC_ALLOW, header)
