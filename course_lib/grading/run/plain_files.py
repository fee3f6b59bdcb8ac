"""Files that other people left in a folder, listed and read without being led out of it."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable
from pathlib import Path


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
            if not _matches(name, patterns) and (path.is_file() if links else _is_plain(path)):
                found.append(str(path.relative_to(folder)))
    return sorted(found)


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
