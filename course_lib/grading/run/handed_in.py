"""What a student handed in: the notebooks, the other files, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from course_lib.grading.result import Remark
from course_lib.grading.run.apart import apart
from course_lib.grading.run.course import Course
from course_lib.grading.run.graded_files import DRAFT
from course_lib.grading.run.plain_files import look_at_files
from course_lib.grading.submission import find_notebooks, read_bytes, read_timestamp
from course_lib.grading.submission.folder_files import DEEPEST
from course_lib.grading.submission.lms_marks import FILE_NAME, read_marks
from course_lib.grading.submission.remarks import plain
from course_lib.grading.template import Template

Seen = TypeVar("Seen")
MOST_FILES = 5_000  # beside the notebooks, and folders, that are looked at


@dataclass(frozen=True)
class File:
    """The file handed in for one notebook; path None: there is none; refused: it is not read."""

    path: Path | None
    remarks: tuple[Remark, ...] = ()
    refused: bool = False

    def read(self) -> tuple[bytes | None, tuple[Remark, ...]]:
        """Return the content, None if there is none or it cannot be read, and all remarks."""
        if self.path is None or self.refused:
            return None, self.remarks
        try:
            return read_bytes(self.path), self.remarks
        except Exception as error:  # one student's file stops no other's
            reason = _reason(error)
            text = f"{self.path.name} cannot be read: {reason}."
            return None, (*self.remarks, Remark("unreadable_file", text, needs_look=True))


@dataclass(frozen=True)
class HandedIn:
    """One student's folder: files by notebook, names of other files to keep, and when (UTC).

    remarks: about the folder as a whole.
    """

    folder: Path
    notebooks: Mapping[str, File]
    others: tuple[str, ...]
    timestamp: datetime | None
    remarks: tuple[Remark, ...]


def look_into(course: Course, folder: Path, templates: Mapping[str, Template]) -> HandedIn:
    """Find what there is in a student's folder; never raises for it.

    templates: of the assignment's notebooks, by name. Links are not followed; other files larger
    than `CourseDirectory.max_file_size` (kilobytes) are left out, and what goes beyond
    `CourseDirectory.max_dir_size` together.
    """
    remarks: list[Remark] = []

    def tried(what: str, look: Callable[[], Seen], else_: Seen) -> Seen:
        try:
            return look()
        except Exception as error:  # one student's files stop no other's
            remarks.append(_not_seen(what, error))
            return else_

    try:
        files = _notebooks(folder, templates, remarks)
    except Exception as error:
        why = (_not_seen("What was handed in", error),)
        files = {name: File(folder / f"{name}.ipynb", why, refused=True) for name in templates}
    remarks.extend(tried("What the LMS marks", lambda: read_marks(folder), ()))
    timestamp = tried("The time of handing in", lambda: _timestamp(folder, remarks), None)
    none: tuple[str, ...] = ()
    others = tried("What lies beside the notebooks", lambda: _others(course, folder, remarks), none)
    return HandedIn(folder, files, others, timestamp, tuple(remarks))


def _notebooks(
    folder: Path, templates: Mapping[str, Template], remarks: list[Remark]
) -> dict[str, File]:
    found = find_notebooks(folder, tuple(templates), templates, apart)
    remarks.extend(found.remarks)
    return {name: File(one.path, one.remarks) for name, one in found.notebooks.items()}


def _timestamp(folder: Path, remarks: list[Remark]) -> datetime | None:
    when, odd = read_timestamp(folder)
    remarks.extend(odd)
    # The gradebook has UTC without a zone.
    return when.astimezone(UTC).replace(tzinfo=None) if when else None


def _others(course: Course, folder: Path, remarks: list[Remark]) -> tuple[str, ...]:
    most, left = course.coursedir.max_file_size, course.coursedir.max_dir_size * 1000
    ignored = [*course.coursedir.ignore, "*.ipynb", FILE_NAME, f".*{DRAFT}"]
    listed = look_at_files(folder, ignored, most=MOST_FILES)
    kept: list[str] = []
    large: list[str] = []
    beyond: list[str] = []
    for name in listed.names:
        size = (folder / name).lstat().st_size
        kind = large if size > most * 1000 else kept if size <= left else beyond
        kind.append(name)
        left -= size if kind is kept else 0
    if large:
        rest = f", nor were {len(large) - 1} more" if len(large) > 1 else ""
        text = f"{plain(large[0])} is larger than {most:,} kB and was not kept{rest}."
        remarks.append(Remark("large_file", text))
    if beyond:
        text = f"All files together are larger than {course.coursedir.max_dir_size:,} kB: not kept "
        remarks.append(Remark("large_folder", f"{text}were {len(beyond)}, as {plain(beyond[0])}."))
    if not listed.whole:
        remarks.append(Remark("many_files", f"There are more than {MOST_FILES:,} files."))
    if listed.too_deep:
        text = f"Folders more than {DEEPEST} deep were not looked into: {plain(listed.too_deep[0])}"
        remarks.append(Remark("deep_folders", f"{text}."))
    return tuple(kept)


def _not_seen(what: str, error: Exception) -> Remark:
    text = f"{what} could not be looked into: {_reason(error)}."
    return Remark("unreadable_folder", text, needs_look=True)


def _reason(error: Exception) -> str:
    """Say in plain letters what an exception says."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return plain(said or type(error).__name__, 200)
