"""Archives of submissions, unpacked so that nothing leaves its folder and nothing odd stops it."""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from nbgrader.plugins import ExtractorPlugin
from traitlets import Integer

from course_lib.grading.nbgrader_plugin.extracted import write_marks

DEEPEST = 3  # archives within archives


class CarefulExtractor(ExtractorPlugin):  # type: ignore[misc]
    """Unpacks as nbgrader's own does, with limits; what cannot be unpacked is left out and told.

    Left out are: absolute names and those with "..", links, devices, archives that are none, and
    what goes beyond the limits.
    """

    max_megabytes: Any = Integer(
        10_000, min=1, help="What one archive from the LMS may hold, unpacked, in megabytes."
    ).tag(config=True)
    max_inner_megabytes: Any = Integer(
        200, min=1, help="What an archive within it, a student's, may hold, in megabytes."
    ).tag(config=True)
    max_files: Any = Integer(100_000, min=1, help="How many files one archive may hold.").tag(
        config=True
    )

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpack or copy each file of a folder into another."""
        source = Path(archive_path)
        files = sorted(path for path in source.rglob("*") if not path.is_dir())
        if not files:
            self.log.warning("No files found in directory: %s", source)
        for file in files:
            target = Path(extracted_path) / file.parent.relative_to(source)
            target.mkdir(parents=True, exist_ok=True)
            if file.is_symlink() or not file.is_file():
                self.log.warning("Left out, it is a link or a device: %s", file)
            elif file.suffix in self.zip_ext:
                self._unpack(file, target / _stem(file), 0)
            else:
                shutil.copy(file, target)
        write_marks(extracted_path)

    def _unpack(self, archive: Path, target: Path, depth: int) -> None:
        """Unpack one archive, and those within it."""
        target.mkdir(parents=True, exist_ok=True)
        megabytes = self.max_inner_megabytes if depth else self.max_megabytes
        left = megabytes * 10**6
        inside: list[Path] = []
        try:
            for number, (name, opened) in enumerate(_members(archive)):
                if left <= 0 or number >= self.max_files:
                    self.log.warning("The rest is left out, it is too much: %s", archive)
                    break
                place = self._place(archive, target, name)
                if place is not None:
                    left -= self._copy(opened, place, left)
                    if place.suffix in self.zip_ext and place.is_file():
                        inside.append(place)
        except Exception as error:  # decompressors raise many kinds for broken data
            self.log.warning("Cannot be unpacked (%s): %s", str(error) or "damaged", archive)
        for path in inside if depth < DEEPEST else []:
            self._unpack(path, path.parent / _stem(path), depth + 1)

    def _place(self, archive: Path, target: Path, name: str) -> Path | None:
        """Return where a member goes; None if it would lead out, or its place is taken."""
        parts = PurePosixPath(name.replace("\\", "/")).parts
        odd = not parts or ".." in parts or parts[0] == "/" or ":" in parts[0] or "\0" in name
        if odd:
            self.log.warning("Left out, it would lead out of its folder: %r in %s", name, archive)
            return None
        place = target.joinpath(*parts)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        return None if os.path.lexists(place) else place

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
            reason = str(error) or "damaged"
        if reason:
            self.log.warning("Left out (%s): %s", reason, place)
            place.unlink(missing_ok=True)
        return size


def _members(archive: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """Name the plain files in an archive, each with what opens it."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if not entry.is_dir() and kind in (0, stat.S_IFREG):
                    yield entry.filename, partial(opened.open, entry)
    else:
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.isreg():
                    yield member.name, partial(_opened, tar, member)


def _opened(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = tar.extractfile(member)
    assert file is not None  # as for every plain file
    return file


def _stem(path: Path) -> str:
    return path.stem.removesuffix(".tar") or "archive"
