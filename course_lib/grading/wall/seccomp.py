"""The system call filter: a small assembler for the kernel's filter machine (classic BPF).

The filter is a list of instructions that the kernel runs before each system call, on a record of
its architecture, number and arguments. Since Linux 5.11 the kernel works out beforehand which
numbers are always allowed, so these cost nothing; halving the list makes that working out, which
every job pays, cheap.

Source: the kernel's Documentation/userspace-api/seccomp_filter.rst and linux/filter.h.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from functools import cache

from .allow_list import ABSENT, ALLOWED, CONDITIONAL, OWN_ID, Alternatives, Condition
from .linux_calls import syscall
from .syscall_numbers import NEWEST, numbers_for

LOAD_WORD, AND, RETURN, JUMP = 0x20, 0x54, 0x06, 0x05  # BPF_LD|W|ABS, ALU|AND|K, RET|K, JMP|JA
JUMP_EQUAL, JUMP_GREATER, JUMP_GREATER_OR_EQUAL = 0x15, 0x25, 0x35  # BPF_JMP|JEQ|K, JGT, JGE
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


REFUSED, ABSENT_CALL = _return(REFUSE | errno.EPERM), _return(REFUSE | errno.ENOSYS)


def _test(condition: Condition, skip: int) -> list[Instruction]:
    """Load half an argument; go on if it fits, else skip so many instructions."""
    offset = ARGUMENTS_AT + 8 * condition.argument + 4 * condition.upper_half
    masked = [] if condition.mask == 0xFFFF_FFFF else [(AND, condition.mask, 0, 0)]
    return [_load(offset), *masked, (JUMP_EQUAL, condition.value, 0, skip)]


def _any_of(alternatives: Alternatives) -> list[Instruction]:
    """Allow if all conditions of one alternative hold, else refuse."""
    block: list[Instruction] = []
    for conditions in alternatives:
        part = [_return(ALLOW)]
        for condition in reversed(conditions):
            part = [*_test(condition, len(part)), *part]
        block += part
    return [*block, REFUSED]


def _search(answers: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Find the loaded number among the sorted ones by halving, and run its answer."""
    if len(answers) == 1:
        number, answer = answers[0]
        return [(JUMP_EQUAL, number, 0, len(answer)), *answer, REFUSED]
    half = len(answers) // 2
    below, above = _search(answers[:half]), _search(answers[half:])
    return [
        (JUMP_GREATER_OR_EQUAL, answers[half][0], 0, 1),
        (JUMP, len(below), 0, 0),
        *below,
        *above,
    ]


def _program(machine: str) -> list[Instruction]:
    answers = {name: [_return(ALLOW)] for name in ALLOWED}
    answers |= {name: _any_of(alternatives) for name, alternatives in CONDITIONAL.items()}
    answers |= {name: [ABSENT_CALL] for name in ABSENT}
    numbers = numbers_for(machine)
    known = sorted((numbers[name], answer) for name, answer in answers.items() if name in numbers)
    x32 = [(JUMP_GREATER_OR_EQUAL, X32_BIT, 0, 1), _return(KILL)] if machine == "x86_64" else []
    return [
        _load(ARCHITECTURE_AT),
        (JUMP_EQUAL, ELF_ARCHITECTURES[machine], 1, 0),
        _return(KILL),
        _load(NUMBER_AT),
        *x32,
        (JUMP_GREATER, NEWEST, 0, 1),
        ABSENT_CALL,
        *_search(known),
    ]


@cache
def _encoded(machine: str) -> tuple[bytes, tuple[int, ...]]:
    """Return the filter, and where in it the process's own id belongs."""
    program = _program(machine)
    code = b"".join(struct.pack("=HBBI", op, yes, no, k) for op, k, yes, no in program)
    places = (
        8 * i + 4 for i, (op, k, _, _) in enumerate(program) if (op, k) == (JUMP_EQUAL, OWN_ID)
    )
    return code, tuple(places)


def assemble(machine: str, pid: int) -> bytes:
    """Return the filter for a process of that id on "x86_64" or "aarch64".

    A call of another architecture ends the process, an unknown newer one is answered with
    ENOSYS as an older kernel would, all else that is not on the list with EPERM.
    """
    code, places = _encoded(machine)
    program = bytearray(code)
    for place in places:
        struct.pack_into("=I", program, place, pid)
    return bytes(program)


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
