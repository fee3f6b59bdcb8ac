"""The ordinary files of a folder and the folders in it, and nothing that leads out of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from course_lib.grading.submission.remarks import plain

MAX_ENTRIES = 5_000  # files and folders that are looked at
DEEPEST = 32  # folders within folders that are looked into

_CHECKPOINTS = ".ipynb_checkpoints"
_SKIPPED = frozenset({".git", "__pycache__", "node_modules", "__MACOSX", "site-packages", ".venv"})


@dataclass(frozen=True)
class SubmittedFile:
    """A file; `shown` is its path from the student's folder, in plain letters."""

    path: Path
    shown: str
    depth: int
    size: int
    modified: float
    checkpoint: bool


def files_below(folder: Path) -> tuple[list[SubmittedFile], list[str]]:
    """Return the ordinary files below, and the names of what is none."""
    files: list[SubmittedFile] = []
    refused: list[str] = []
    left = MAX_ENTRIES
    waiting = [(folder, "", 0, False)]
    if folder.is_symlink():
        return [], [plain(folder.name)]
    while waiting:
        here, prefix, depth, checkpoint = waiting.pop(0)
        try:
            with os.scandir(here) as entries:
                listed = sorted(_first(entries, left), key=lambda entry: entry.name)
        except OSError:
            refused.append(plain(prefix or folder.name, 200))
            continue
        left -= len(listed)
        for entry in listed:
            shown = plain(prefix + entry.name, 200)
            try:
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    inside = checkpoint or entry.name == _CHECKPOINTS
                    if depth < DEEPEST and entry.name not in _SKIPPED:
                        waiting.append(
                            (Path(entry.path), f"{prefix}{entry.name}/", depth + 1, inside)
                        )
                    continue
                if not entry.is_file(follow_symlinks=False):
                    refused.append(shown)
                    continue
            except OSError:
                refused.append(shown)
                continue
            size, modified = status.st_size, status.st_mtime
            files.append(SubmittedFile(Path(entry.path), shown, depth, size, modified, checkpoint))
    return files, refused


def _first(entries: Iterator[os.DirEntry[str]], count: int) -> list[os.DirEntry[str]]:
    return list(islice(entries, count))
