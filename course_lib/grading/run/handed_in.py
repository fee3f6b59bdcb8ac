"""What a student handed in: the notebooks, the other files, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from course_lib.grading.result import Remark
from course_lib.grading.run.course import Course
from course_lib.grading.run.plain_files import list_files
from course_lib.grading.submission import find_notebooks, read_bytes, read_timestamp
from course_lib.grading.submission.lms_marks import FILE_NAME, read_marks
from course_lib.grading.template import Template


@dataclass(frozen=True)
class File:
    """The file handed in for one notebook; path None: there is none."""

    path: Path | None
    remarks: tuple[Remark, ...] = ()

    def read(self) -> tuple[bytes | None, tuple[Remark, ...]]:
        """Return the content, None if there is none or it cannot be read, and all remarks."""
        if self.path is None:
            return None, self.remarks
        try:
            return read_bytes(self.path), self.remarks
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
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
    than `CourseDirectory.max_file_size` (kilobytes) are left out.
    """
    found = find_notebooks(folder, tuple(templates), templates)
    files = {name: File(one.path, one.remarks) for name, one in found.notebooks.items()}
    others, large = _other_files(course, folder)
    when, odd = read_timestamp(folder)
    marks = read_marks(folder)
    # The gradebook has UTC without a zone.
    timestamp = when.astimezone(UTC).replace(tzinfo=None) if when else None
    return HandedIn(folder, files, others, timestamp, (*found.remarks, *marks, *odd, *large))


def _other_files(course: Course, folder: Path) -> tuple[tuple[str, ...], list[Remark]]:
    limit = course.coursedir.max_file_size * 1000
    kept, remarks = [], []
    for name in list_files(folder, [*course.coursedir.ignore, "*.ipynb", FILE_NAME]):
        if (folder / name).lstat().st_size > limit:
            text = f"{name} is larger than {limit // 1000:,} kB and was not kept."
            remarks.append(Remark("large_file", text))
        else:
            kept.append(name)
    return tuple(kept), remarks
