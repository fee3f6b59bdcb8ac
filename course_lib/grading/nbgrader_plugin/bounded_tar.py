"""Tar archives of others: what they unpack to is bounded even where no file is taken out.

`tarfile` reads some headers whole into memory, and reads through all that is skipped; compressed a
thousandfold, a small archive would fill the memory, or take hours.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

AT_ONCE = 4 * 2**20  # bytes; no header is as long, and files are copied in smaller pieces
KINDS: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ", lzma.open),
)


@contextmanager
def open_tar(archive: Path, limit: int) -> Iterator[tarfile.TarFile]:
    """Open a tar archive, compressed or not, for reading; limit: bytes it may have, unpacked.

    Raises:
        ValueError: while it is read: it is larger, or has a header too long to be one.
        tarfile.TarError: it is no tar archive, or damaged.
    """
    with archive.open("rb") as file:
        start = file.read(8)
    kind = next((opener for mark, opener in KINDS if start.startswith(mark)), open)
    with kind(archive, "rb") as unpacked:
        bounded: Any = _Bounded(unpacked, limit)
        with tarfile.open(fileobj=bounded, mode="r:") as opened:
            yield opened


class _Bounded:
    """What tarfile needs of a file: read, seek and tell."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._limit = file, limit

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= AT_ONCE:
            raise ValueError("a header of it is too long")
        return self._file.read(size)

    def seek(self, place: int, whence: int = 0) -> int:
        if whence != 0 or place > self._limit:
            raise ValueError("it is too much")
        return self._file.seek(place)

    def tell(self) -> int:
        return self._file.tell()
