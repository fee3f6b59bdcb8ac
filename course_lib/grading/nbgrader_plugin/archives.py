"""Archives of submissions, unpacked so that nothing leaves its folder and nothing odd stops it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from nbgrader.plugins import ExtractorPlugin
from traitlets import Integer

from course_lib.grading.nbgrader_plugin.bounded_tar import open_tar
from course_lib.grading.nbgrader_plugin.extracted import write_marks
from course_lib.grading.nbgrader_plugin.lms_names import parse
from course_lib.grading.run.plain_files import walk
from course_lib.grading.submission.folder_files import DEEPEST
from course_lib.grading.submission.remarks import plain
from course_lib.grading.submission.zip_directory import directory_size

DEEPEST_ARCHIVE = 3  # archives within archives
LISTED = 500  # bytes of a zip archive's list of names, for each file that it may hold
SLACK = 100 * 10**6  # bytes of a tar archive beside its files: headers, and what is left out


@dataclass
class Budget:
    """What may still be unpacked: bytes, and how many files; shared by nested archives."""

    size: int
    files: int


class CarefulExtractor(ExtractorPlugin):  # type: ignore[misc]
    """Unpacks as nbgrader's own does, with limits; what cannot be unpacked is left out and told.

    Left out are: absolute names and those with "..", links, devices, archives that are none,
    folders deeper than `DEEPEST`, and what goes beyond the limits.
    """

    max_megabytes: Any = Integer(
        10_000, min=1, help="What one archive from the LMS may hold, unpacked, in megabytes."
    ).tag(config=True)
    max_inner_megabytes: Any = Integer(
        200,
        min=1,
        help="What all archives of one student within it, and those within them, may hold.",
    ).tag(config=True)
    max_files: Any = Integer(
        100_000, min=1, help="How many files one archive from the LMS may hold."
    ).tag(config=True)
    max_inner_files: Any = Integer(
        20_000, min=1, help="How many files all archives of one student may hold."
    ).tag(config=True)

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpack or copy each file of a folder into another."""
        source = Path(archive_path)
        self._root = Path(extracted_path).resolve()
        self._budgets: dict[str, Budget] = {}
        files = [Path(place, name) for place, _, names in walk(source) for name in names]
        if not files:
            self.log.warning("No files found in directory: %s", source)
        for file in sorted(files):
            target = self._root / file.parent.relative_to(source)
            if file.is_symlink() or not file.is_file():
                self.log.warning("Left out, it is a link or a device: %s", file)
            elif file.suffix in self.zip_ext:
                self._unpack(file, target, Budget(self.max_megabytes * 10**6, self.max_files), 0)
            else:
                try:
                    target.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, target)
                except OSError as error:
                    self.log.warning("Left out (%s): %s", error.strerror or error, file)
        write_marks(extracted_path)

    def _unpack(self, archive: Path, within: Path, budget: Budget, depth: int) -> None:
        """Unpack one archive into a folder of its own, and those within it."""
        inside: list[Path] = []
        try:
            target = _free(within / folder_name(archive.name))
            if not target.resolve().is_relative_to(self._root):
                raise ValueError("it would lead out of the folder")
            target.mkdir(parents=True, exist_ok=True)
            for name, opened in _members(archive, budget):
                if budget.size <= 0 or budget.files <= 0:
                    self.log.warning("The rest is left out, it is too much: %s", _shown(archive))
                    break
                budget.files -= 1
                try:
                    place = self._place(archive, target, name)
                    if place is not None:
                        budget.size -= self._copy(opened, place, budget.size)
                        if place.suffix in self.zip_ext and place.is_file():
                            inside.append(place)
                except (OSError, ValueError) as error:  # a name that this machine cannot have
                    self._leave_out(plain(str(error), 200), name, archive)
        except Exception as error:  # decompressors raise many kinds for broken data
            why = plain(str(error) or "damaged", 200)
            self.log.warning("Cannot be unpacked (%s): %s", why, _shown(archive))
        for path in inside if depth < DEEPEST_ARCHIVE else []:
            self._unpack(path, path.parent, budget if depth else self._budget(path), depth + 1)

    def _budget(self, upload: Path) -> Budget:
        """Return the one budget for all archives that a student handed in."""
        name = str(upload.relative_to(self._root))
        parsed = parse(name)
        fresh = Budget(self.max_inner_megabytes * 10**6, self.max_inner_files)
        return self._budgets.setdefault(parsed.student if parsed else name, fresh)

    def _place(self, archive: Path, target: Path, name: str) -> Path | None:
        """Return where a member goes; None if it would lead out, or its place is taken."""
        parts = PurePosixPath(name.replace("\\", "/")).parts
        odd = not parts or ".." in parts or parts[0] == "/" or ":" in parts[0] or "\0" in name
        if odd:
            self._leave_out("it would lead out of its folder", name, archive)
            return None
        place = target.joinpath(*parts)
        if len(place.relative_to(self._root).parts) > DEEPEST:
            self._leave_out(f"it lies more than {DEEPEST} folders deep", name, archive)
            return None
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        if not place.resolve().is_relative_to(target.resolve()):
            self._leave_out("it would lead out of its folder", name, archive)
            return None
        return None if os.path.lexists(place) else place

    def _leave_out(self, why: str, name: str, archive: Path) -> None:
        self.log.warning("Left out, %s: %r in %s", why, plain(name), _shown(archive))

    def _copy(self, opened: Callable[[], IO[bytes]], place: Path, limit: int) -> int:
        """Copy a member and return its size; a damaged or too large one leaves nothing."""
        size = 0
        try:
            with opened() as source, place.open("xb") as file:
                while size <= limit and (piece := source.read(2**20)):
                    size += len(piece)
                    file.write(piece)
            reason = "too large" if size > limit else ""
        except Exception as error:
            reason = plain(str(error) or "damaged", 200)
        if reason:
            self.log.warning("Left out (%s): %s", reason, _shown(place))
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)
        return size


def _members(archive: Path, budget: Budget) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """Name the plain files in an archive, each with what opens it."""
    if zipfile.is_zipfile(archive):
        with archive.open("rb") as file, zipfile.ZipFile(_listable(file, budget)) as opened:
            for entry in opened.infolist():
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if not entry.is_dir() and kind in (0, stat.S_IFREG):
                    yield entry.filename, partial(opened.open, entry)
    else:
        with open_tar(archive, budget.size + SLACK) as tar:
            for member in tar:
                if member.isreg():
                    yield member.name, partial(_opened, tar, member)


def _listable(file: IO[bytes], budget: Budget) -> IO[bytes]:
    """Return an open zip archive whose list of names is not too long to be read."""
    if directory_size(file) > max(budget.files, 1) * LISTED:
        raise ValueError("its list of names is too long")
    return file


def _opened(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = tar.extractfile(member)
    assert file is not None  # as for every plain file
    return file


def folder_name(archive: str) -> str:
    """Return the name of the folder that an archive of this name is unpacked into.

    It is one plain name: never "", "." or "..", no separators, no control characters.
    """
    bare = re.sub(r"(\.tar)?\.[^.]*$", "", archive)
    safe = "".join(c if c.isprintable() and c not in "/\\:" else "_" for c in bare)
    return safe.strip(". ") or "archive"


def _free(place: Path) -> Path:
    """Return a place where a folder is or can be: this, or the next with a number."""
    places = (place, *(place.with_name(f"{place.name}-{number}") for number in range(2, 100)))
    fitting = (p for p in places if p.is_dir() or not os.path.lexists(p))
    return next(fitting, place)


def _shown(path: Path) -> str:
    return plain(str(path), 1000)
