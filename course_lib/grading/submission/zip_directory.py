"""How long the list of names at the end of a zip archive is: known before it is read."""

from __future__ import annotations

import os
import struct
from typing import IO

_END = struct.Struct("<4s4H2LH")  # the record at the end, without its comment
_END_MARK, _LARGE_MARK = b"PK\5\6", b"PK\6\7"
_LARGE_SIZE = 20  # of what points to the records of a very large archive
_LONGEST_COMMENT = 2**16


def directory_size(archive: IO[bytes]) -> int:
    """Return how many bytes the archive's directory says that it has.

    `zipfile` reads all of it when it opens an archive, and makes an object of each entry: two
    million entries take a gigabyte. Archives with the records of a very large one count as endless.

    Raises:
        ValueError: there is no such record: it is no zip archive.
    """
    length = archive.seek(0, os.SEEK_END)
    archive.seek(max(0, length - _LONGEST_COMMENT - _END.size - _LARGE_SIZE))
    tail = archive.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END.size:
        raise ValueError("it is no zip archive")
    if tail[max(0, at - _LARGE_SIZE) : at].startswith(_LARGE_MARK):
        return 2**63
    size: int = _END.unpack_from(tail, at)[5]
    return size
