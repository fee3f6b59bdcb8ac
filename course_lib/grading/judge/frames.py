"""Messages over a pipe between the grader's own processes: eight bytes of length, and the bytes."""

from __future__ import annotations

import struct
from typing import IO

LENGTH = struct.Struct("<Q")


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Read one message; None at the end, also in the middle of one."""
    start = stream.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    size = LENGTH.unpack(start)[0]
    data = stream.read(size)
    return data if len(data) == size else None


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one message.

    Raises:
        BrokenPipeError: nobody reads.
    """
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()
