"""Reading one file of a student's folder without being led out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MAX_BYTES = 64 * 2**20  # of one submitted file


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return what is in an ordinary file.

    Raises:
        OSError: there is none, it is a symbolic link, a folder, a device or a pipe, or it may not
            be read.
        ValueError: it is larger than `limit` bytes.
    """
    # O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise OSError(f"{path.name} is a symbolic link")
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:  # noqa: PTH123 - it is a descriptor
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path.name} is no ordinary file")
        if status.st_size > limit:
            raise ValueError(f"{path.name} has {status.st_size:,} bytes; {limit:,} are allowed")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{path.name} has more than {limit:,} bytes")
    return data
