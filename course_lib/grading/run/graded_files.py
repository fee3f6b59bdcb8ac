"""The folder autograded/STUDENT/ASSIGNMENT: each file appears whole or not at all.

A file is written under a hidden name beside its place and renamed. A killed run can leave hidden
files, which the next one removes, and files that the gradebook does not know yet, which the next
one writes again: the ledger holds the digest of what its grades belong to.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from course_lib.grading.run.plain_files import remove, walk
from course_lib.grading.submission import read_bytes

DRAFT = ".judging"  # what hidden names end with


class GradedFolder:
    """The graded notebooks of one submission, and the files beside them.

    permissions: of the files, as nbgrader writes them in its settings (444 in octal digits).
    """

    def __init__(self, folder: Path, permissions: int = 444, groupshared: bool = False) -> None:
        self.folder = folder
        self._mode = int(str(permissions), 8)
        self._groupshared = groupshared

    def sweep(self) -> None:
        """Remove what a killed run left half done."""
        for place, folders, files in walk(self.folder, None, lambda name: not is_draft(name)):
            for name in filter(is_draft, (*folders, *files)):
                with contextlib.suppress(OSError):  # writing that very file will tell
                    remove(Path(place, name))

    def digest(self, notebook: str) -> str:
        """Return the digest of a graded notebook's file; "" if there is none."""
        path = self.folder / f"{notebook}.ipynb"
        if path.is_symlink():
            return "a link"
        try:
            return hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:  # none, a folder, or one that cannot be read: it is written again
            return ""

    def write_notebook(self, notebook: str, content: Mapping[str, Any]) -> str:
        """Write a graded notebook and return the digest of its file."""
        data = notebook_bytes(content)
        self._write(f"{notebook}.ipynb", data)
        return hashlib.sha256(data).hexdigest()

    def remove_notebook(self, notebook: str) -> None:
        """Remove a graded notebook, if there is one."""
        remove(self.folder / f"{notebook}.ipynb")

    def put_beside(
        self,
        submitted: Path,
        theirs: Iterable[str],
        ours: Mapping[str, bytes],
        notebooks: Iterable[str],
    ) -> None:
        """Make the files beside the notebooks those that are wanted, and remove all others.

        theirs: names of files in `submitted`; ours: the instructor's files, which go before them;
        notebooks: the names of notebooks that stay. Those of theirs that would stand where a
        folder of the others must be, or the other way round, are left out, and so are drafts.
        """
        first = set(ours) | {f"{name}.ipynb" for name in notebooks}
        around = {str(parent) for name in first for parent in Path(name).parents}
        theirs = {name for name in theirs if _fits(Path(name), first, around)}
        wanted = theirs | first
        self._make(self.folder)
        for place, folders, files in reversed(list(walk(self.folder, None))):
            here = Path(place)
            for name in files:
                path = here / name
                if path.is_symlink() or str(path.relative_to(self.folder)) not in wanted:
                    path.unlink(missing_ok=True)
            for name in folders:
                with contextlib.suppress(OSError):  # not empty
                    (here / name).rmdir()
        for name, content in ours.items():
            if not self._has(name, content):
                self._write(name, content)
        for name in sorted(theirs - set(ours)):
            with contextlib.suppress(OSError, ValueError):  # changed under our hands: left out
                content = read_bytes(submitted / name)
                if not self._has(name, content):
                    self._write(name, content)

    def _has(self, name: str, content: bytes) -> bool:
        path = self.folder / name
        try:
            same_size = path.lstat().st_size == len(content)
            return same_size and path.read_bytes() == content
        except OSError:
            return False

    def _write(self, name: str, content: bytes) -> None:
        place = self.folder / name
        self._make(place.parent)
        if place.is_dir() and not place.is_symlink():
            remove(place)
        draft = place.with_name(f".{place.name}{DRAFT}")
        remove(draft)
        with draft.open("xb") as file:
            file.write(content)
        draft.chmod(self._mode)
        draft.replace(place)

    def _make(self, folder: Path) -> None:
        for place in (*reversed(folder.parents), folder):
            if not place.is_dir():
                place.unlink(missing_ok=True)  # a file where a folder is wanted
                place.mkdir(exist_ok=True)
                if self._groupshared:
                    place.chmod(0o2770 | (place.stat().st_mode & 0o7777))


def is_draft(name: str) -> bool:
    """Return whether files or folders of this name are a killed run's, to be removed."""
    return name.startswith(".") and name.endswith(DRAFT)


def _fits(name: Path, first: set[str], around: set[str]) -> bool:
    """Return whether a student's file can lie beside the files that go before it."""
    inside = any(str(parent) in first for parent in name.parents)
    return not inside and str(name) not in around and not any(map(is_draft, name.parts))


def notebook_bytes(notebook: Mapping[str, Any]) -> bytes:
    """Return a notebook's file: JSON with one cell a line, which is quick to write."""
    cells = [_json(cell) for cell in notebook.get("cells", ())]
    rest = [f"{_json(k)}: {_json(v)}" for k, v in sorted(notebook.items()) if k != "cells"]
    body = '"cells": [\n' + ",\n".join(cells) + "\n]"
    text = "{\n" + ",\n".join([body, *rest]) + "\n}\n"
    return text.encode("utf-8", "replace")  # a lone surrogate has no place in a file


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def sweep_drafts(folders: Iterable[Path]) -> None:
    """Remove what a killed run left half done in these folders."""
    for folder in folders:
        if os.path.lexists(folder):
            GradedFolder(folder).sweep()
