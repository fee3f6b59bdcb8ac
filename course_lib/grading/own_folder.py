"""A private folder while its process lives; what a killed one leaves, the next one removes."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

A_DAY = 86_400  # seconds
HELD = "held"  # the file in the folder that its owner keeps locked


class OwnFolder:
    """A new folder among the temporary files; `path` is where. The ones left behind are removed."""

    def __init__(self) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=f"judge-{os.getpid()}-"))
        draft = self.path / f"{HELD}.new"
        self._held = draft.open("wb")
        _lock(self._held)
        draft.rename(self.path / HELD)  # once it is locked: no other's sweep comes in between

    def remove(self) -> None:
        """Remove it with all that is in it."""
        _remove(self.path)
        self._held.close()


def sweep() -> None:
    """Remove the folders of processes that were killed: those that none holds any more."""
    for folder in Path(tempfile.gettempdir()).glob("judge-*-*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode) and _left(folder):
                _remove(folder)


def _left(folder: Path) -> bool:
    """Return whether nobody holds a folder; the system lets go of what a killed process held."""
    try:
        with (folder / HELD).open("rb") as held:
            return _lock(held)
    except FileNotFoundError:  # made a moment ago, or not by this version
        return time.time() - folder.lstat().st_mtime > A_DAY


def _lock(file: BinaryIO) -> bool:
    """Try to lock a file; return whether that could be had."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        (folder / "data").chmod(0o700)  # it could not be listed
    shutil.rmtree(folder, ignore_errors=True)
