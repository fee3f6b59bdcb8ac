"""Giving up what a process could do to others: ids, capabilities, namespaces, being inspected."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from functools import cache
from itertools import count

from .linux_calls import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_CLEAR_ALL,
    PR_CAPBSET_DROP,
    PR_CAPBSET_READ,
    PR_GET_NO_NEW_PRIVS,
    PR_GET_PDEATHSIG,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    prctl,
    syscall,
    unshare,
)

CAPABILITY_VERSION = 0x2008_0522  # _LINUX_CAPABILITY_VERSION_3
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x0800_0000, 0x1000_0000, 0x4000_0000
NOBODY = 65534


def die_with_parent(parent: int | None = None) -> None:
    """Have the kernel kill this process when the thread that started it ends.

    parent: the process id that the parent had (0 seen from a process namespace of one's own);
    where the parent is gone already, this process ends at once. Changing user or group undoes the
    call. The starter must be a thread that lives as long as the process is needed.

    Raises:
        OSError: the kernel refused.
    """
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def forbid_new_privileges() -> None:
    """No file that is executed may give this process rights that it does not have."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    if prctl(PR_GET_NO_NEW_PRIVS) != 1:
        raise OSError("no_new_privs was not kept")


def forbid_inspection() -> None:
    """No other process of the same user may read or trace this one; it leaves no core."""
    prctl(PR_SET_DUMPABLE, 0)


@cache
def leave_network() -> bool:
    """Enter a network without devices and an empty set of System V objects; True if it worked.

    As an ordinary user that takes a user namespace, which not every system allows, and in which
    the process's own id reads as 65534. Tried once; children inherit it.
    """
    dies_with_parent = ctypes.c_int()
    prctl(PR_GET_PDEATHSIG, ctypes.addressof(dies_with_parent))
    for flags in (CLONE_NEWNET | CLONE_NEWIPC, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC):
        try:
            unshare(flags)
        except OSError:
            continue
        prctl(PR_SET_PDEATHSIG, dies_with_parent.value)  # a user namespace had undone it
        return True
    return False


def become(uid: int | None) -> None:
    """Give up root's id (where there is one and `uid` is not None) and every capability.

    Raises:
        OSError: the kernel refused.
    """
    empty_bounding_set()
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    if uid is not None and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        if os.getresuid() != (uid, uid, uid) or os.getresgid() != (uid, uid, uid):
            raise OSError(f"the process did not become user {uid}")
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    syscall("capset", header, bytes(24))  # effective, permitted and inheritable: none


@cache
def empty_bounding_set() -> None:
    """Let nothing that this process executes have capabilities; without root, nothing changes.

    Done once: children inherit it, and with it the memory of having done it.
    """
    for capability in count():
        try:
            held = prctl(PR_CAPBSET_READ, capability)
        except OSError:
            return  # past the last capability of this kernel
        if held:
            try:
                prctl(PR_CAPBSET_DROP, capability)
            except PermissionError:
                return  # no root: nothing that is executed can give any, see no_new_privs
