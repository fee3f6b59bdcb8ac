"""System calls that Python's standard library has no function for, by ctypes.

Why no package: libseccomp's own Python binding is not on the package index; `pyseccomp` there
only finds the system's libseccomp, which need not be installed; the Landlock bindings there were
at versions 0.1 and 0.2 when this was written (2026). All the calls needed are on this page.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

from .syscall_numbers import number

PR_SET_PDEATHSIG = 1
PR_GET_PDEATHSIG = 2
PR_SET_DUMPABLE = 4
PR_CAPBSET_READ = 23
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4


@cache
def libc() -> Any:
    """Return the C library that Python itself is linked with."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def prctl(option: int, *arguments: int) -> int:
    """Ask the kernel for something about this process; the arguments left out are 0.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(f"prctl({option})", libc().prctl(option, *words))


def syscall(name: str, *arguments: Any) -> int:
    """Make the system call of that name; integers are passed as C longs.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return _checked(name, libc().syscall(ctypes.c_long(number(name)), *words))


def unshare(flags: int) -> None:
    """Leave the namespaces named by the CLONE_NEW… flags.

    Raises:
        OSError: the kernel refused.
    """
    _checked("unshare", libc().unshare(flags))


def _checked(what: str, returned: int) -> int:
    if returned < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return returned
