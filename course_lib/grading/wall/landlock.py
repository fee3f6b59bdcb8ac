"""Landlock: the kernel's own file, TCP and signal rules for a process and all it starts.

Every right that the kernel's version of Landlock knows is taken away; reading is given back below
the paths of the policy, and nothing else (execution included). The rules that a kernel has:

    version 1 (Linux 5.13)  opening, creating and removing files
    version 2 (5.19)        moving files between directories
    version 3 (6.2)         truncating
    version 4 (6.7)         TCP
    version 5 (6.10)        ioctl on devices
    version 6 (6.12)        signals and abstract sockets to processes outside
    version 7 (6.15)        no audit record of what is refused

What older versions lack, the system call filter refuses as well (`allow_list.py`). Later versions
add rules for sockets, which the filter refuses altogether.

Source: the kernel's Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable

from .linux_calls import syscall

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
FILE_RIGHTS_SINCE = {1: (1 << 13) - 1, 2: 1 << 13, 3: TRUNCATE, 5: 1 << 15}
TCP_SINCE, TCP_RIGHTS = 4, 0b11  # bind and connect
SCOPES_SINCE, SCOPES = 6, 0b11  # abstract sockets and signals
QUIET_SINCE, LOG_SAME_EXEC_OFF = 7, 1
VERSION_FLAG, PATH_BENEATH = 1, 1


def landlock_version() -> int:
    """Return the version of Landlock that the running kernel enforces, 0 if none."""
    try:
        return syscall("landlock_create_ruleset", None, 0, VERSION_FLAG)
    except OSError:
        return 0


def make_ruleset(readable: Iterable[str], listable: Iterable[str], version: int) -> int:
    """Return the descriptor of a ruleset that lets a process read and list, and nothing else.

    /dev/null may be written to: opening it is how Python code discards output.

    Raises:
        OSError: the kernel refused.
    """
    files = sum(bits for since, bits in FILE_RIGHTS_SINCE.items() if version >= since)
    attributes = struct.pack("=Q", files)
    if version >= TCP_SINCE:
        attributes += struct.pack("=Q", TCP_RIGHTS)
    if version >= SCOPES_SINCE:
        attributes += struct.pack("=Q", SCOPES)
    ruleset = syscall("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        for path in readable:
            _allow(ruleset, path, READ_FILE | READ_DIR)
        for path in listable:
            _allow(ruleset, path, READ_DIR)
        _allow(ruleset, os.devnull, READ_FILE | (WRITE_FILE | TRUNCATE) & files)
    except OSError:
        os.close(ruleset)
        raise
    return ruleset


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # what is not there, or out of reach, needs no permission
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= ~READ_DIR
        if rights:
            rule = struct.pack("=Qi", rights, place)
            syscall("landlock_add_rule", ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(place)


def enforce(ruleset: int, version: int) -> None:
    """Bind this thread to the ruleset for good; needs no_new_privs.

    Raises:
        OSError: the kernel refused.
    """
    syscall("landlock_restrict_self", ruleset, LOG_SAME_EXEC_OFF if version >= QUIET_SINCE else 0)
