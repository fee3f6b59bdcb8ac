"""Files that other people left in a folder, read without being led out of it."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable
from pathlib import Path


class OddFile(Exception):
    """A file that is not read; `kind` and the text say why."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def list_files(folder: Path, ignore: Iterable[str] = (), *, links: bool = False) -> list[str]:
    """Return the relative names of all plain files in a folder and those below it, sorted.

    ignore: patterns of names to leave out, as in `CourseDirectory.ignore`. Links are left out and
    never followed; `links` keeps those that lead to plain files.
    """
    patterns = list(ignore)
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _matches(name, patterns))
        for name in files:
            path = Path(place, name)
            if _matches(name, patterns):
                continue
            if path.is_file() if links else _is_plain(path):
                found.append(str(path.relative_to(folder)))
    return sorted(found)


def read_file(folder: Path, name: str, limit: int | None = None, *, links: bool = False) -> bytes:
    """Return a plain file's content; with `limit`, at most so many bytes.

    Raises:
        OddFile: it is a link, is no plain file, is too large, or cannot be read.
    """
    path = folder / name
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    if not links:
        if path.is_symlink():
            raise OddFile("symlink", f"{name} is a symbolic link; links are not followed")
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        raise OddFile("unreadable", f"{name} cannot be read: {error.strerror}") from error
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OddFile("no_file", f"{name} is no plain file")
        if limit is not None and about.st_size > limit:
            raise OddFile(
                "too_large", f"{name} has {about.st_size:,} bytes; at most {limit:,} are read"
            )
        try:
            return file.read() if limit is None else file.read(limit)
        except OSError as error:
            raise OddFile("unreadable", f"{name} cannot be read: {error.strerror}") from error


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
