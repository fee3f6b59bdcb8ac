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
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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
        if self.folder.is_dir():
            for draft in self.folder.rglob(f".*{DRAFT}"):
                draft.unlink(missing_ok=True)

    def digest(self, notebook: str) -> str:
        """Return the digest of a graded notebook's file; "" if there is none."""
        path = self.folder / f"{notebook}.ipynb"
        if path.is_symlink():
            return "a link"
        try:
            return hashlib.sha256(path.read_bytes()).hexdigest()
        except FileNotFoundError:
            return ""

    def write_notebook(self, notebook: str, content: Mapping[str, Any]) -> str:
        """Write a graded notebook and return the digest of its file."""
        data = notebook_bytes(content)
        self._write(f"{notebook}.ipynb", data)
        return hashlib.sha256(data).hexdigest()

    def remove_notebook(self, notebook: str) -> None:
        """Remove a graded notebook, if there is one."""
        (self.folder / f"{notebook}.ipynb").unlink(missing_ok=True)

    def put_beside(
        self,
        submitted: Path,
        theirs: Iterable[str],
        ours: Mapping[str, bytes],
        notebooks: Iterable[str],
    ) -> None:
        """Make the files beside the notebooks those that are wanted, and remove all others.

        theirs: names of files in `submitted`; ours: the instructor's files, which go before them;
        notebooks: the names of notebooks that stay.
        """
        theirs = set(theirs)
        wanted = theirs | set(ours) | {f"{name}.ipynb" for name in notebooks}
        self._make(self.folder)
        for path in sorted(self.folder.rglob("*"), reverse=True):
            name = str(path.relative_to(self.folder))
            if path.is_dir() and not path.is_symlink():
                with contextlib.suppress(OSError):  # not empty
                    path.rmdir()
            elif name not in wanted or path.is_symlink():
                path.unlink(missing_ok=True)
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
            shutil.rmtree(place)
        draft = place.with_name(f".{place.name}{DRAFT}")
        draft.unlink(missing_ok=True)
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
