"""Files that other people left in a folder: listed, never led out of it, however deep they lie."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib.grading.submission.folder_files import DEEPEST


@dataclass
class Listed:
    """What there is in a folder.

    names: of plain files, from the folder, sorted; too_deep: folders not looked into; whole:
    whether that is all, or looking ended at so many names.
    """

    names: list[str]
    too_deep: list[str]
    whole: bool = True


def walk(
    folder: str | Path,
    deepest: int | None = DEEPEST,
    enter: Callable[[str], bool] = lambda name: True,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (place, names of folders, names of all else) for a folder and those below it, sorted.

    As `os.walk`, but it does not call itself, and so stands any depth. A link to a folder is no
    folder. What lies more than `deepest` folders down is named but not entered (None: it is), nor
    are folders whose names `enter` refuses; what cannot be read counts as empty.
    """
    waiting = [(os.fspath(folder), 0)]
    while waiting:
        place, depth = waiting.pop()
        folders: list[str] = []
        rest: list[str] = []
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                (folders if _is_folder(entry) else rest).append(entry.name)
        folders.sort()
        yield place, folders, sorted(rest)
        if deepest is None or depth < deepest:
            inside = [name for name in reversed(folders) if enter(name)]
            waiting += [(f"{place}{os.sep}{name}", depth + 1) for name in inside]


def look_at_files(
    folder: Path, ignore: Iterable[str] = (), *, links: bool = False, most: int | None = None
) -> Listed:
    """List all plain files in a folder and those below it, by their relative names.

    ignore: patterns of names to leave out, as in `CourseDirectory.ignore`. Links are left out and
    never followed; `links` keeps those that lead to plain files. most: names to look at.
    """
    patterns = list(ignore)
    listed, seen = Listed([], []), 0
    for place, folders, rest in walk(folder, enter=lambda name: not _matches(name, patterns)):
        here = Path(place).relative_to(folder)
        seen += len(folders) + len(rest)
        if most is not None and seen > most:
            listed.whole = False
            break
        if len(here.parts) == DEEPEST:
            kept = [name for name in folders if not _matches(name, patterns)]
            listed.too_deep.extend(str(here / name) for name in kept)
        for name in rest:
            path = Path(place, name)
            if not _matches(name, patterns) and (path.is_file() if links else _is_plain(path)):
                listed.names.append(str(here / name))
    listed.names.sort()
    return listed


def list_files(folder: Path, ignore: Iterable[str] = (), *, links: bool = False) -> list[str]:
    """Return the relative names of all plain files, as `look_at_files` lists them."""
    return look_at_files(folder, ignore, links=links).names


def remove(place: Path) -> None:
    """Remove a file, a link or a folder with all that is in it; nothing there is fine.

    Raises:
        OSError: something could not be removed.
    """
    if place.is_symlink() or not place.is_dir():
        place.unlink(missing_ok=True)
        return
    for here, folders, rest in reversed(list(walk(place, None))):
        for name in rest:
            Path(here, name).unlink()
        for name in folders:
            Path(here, name).rmdir()
    place.rmdir()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
