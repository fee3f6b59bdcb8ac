"""What a student handed in: the notebooks, the other files, and when."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from course_lib.grading.result import Remark
from course_lib.grading.run.course import Course
from course_lib.grading.run.plain_files import OddFile, list_files, read_file

TIMESTAMP = "timestamp.txt"
LONGEST_TIMESTAMP = 200  # bytes
LARGEST_NOTEBOOK = 512 * 2**20  # bytes


@dataclass(frozen=True)
class Found:
    """The file that was handed in for one notebook; content None: there is none."""

    content: bytes | None
    remarks: tuple[Remark, ...] = ()


def find_notebooks(folder: Path, names: tuple[str, ...]) -> Callable[[str], Found]:
    """Return what finds the file handed in for each of the assignment's notebooks."""

    def find(name: str) -> Found:
        return find_notebook(folder, name, tuple(other for other in names if other != name))

    return find


def find_notebook(folder: Path, name: str, others: tuple[str, ...] = ()) -> Found:
    """Find the file handed in for the notebook `name`; never raises for what is in the folder.

    others: the names of the assignment's other notebooks, which are no misplaced copies of it.
    """
    file = f"{name}.ipynb"
    remarks: list[Remark] = []
    if os.path.lexists(folder / file):
        try:
            return Found(read_file(folder, file, LARGEST_NOTEBOOK))
        except OddFile as odd:
            remarks.append(Remark(odd.kind, f"{odd}.", needs_look=True))
    for elsewhere in _candidates(folder, name, others):
        try:
            content = read_file(folder, elsewhere, LARGEST_NOTEBOOK)
        except OddFile:
            continue
        text = f"{file} is missing; {elsewhere} was graded in its place."
        return Found(content, (*remarks, Remark("renamed_file", text)))
    return Found(None, tuple(remarks))


def _candidates(folder: Path, name: str, others: tuple[str, ...]) -> list[str]:
    """Name the files that may be a notebook under another name or in another folder, best first.

    A file counts if its name is the notebook's but for case, spaces, hyphens, "(1)" or "copy",
    or, where the assignment has one notebook and the student handed in one, whatever its name.
    """
    there = [
        file
        for file in list_files(folder, [".ipynb_checkpoints", "__MACOSX", "._*"])
        if file.lower().endswith((".ipynb", ".ipynb.json", ".ipynb.txt", ".json"))
    ]
    taken = {f"{other}.ipynb" for other in others}
    alike = [f for f in there if _bare(f) == _bare(name) and f not in taken]
    alike.sort(key=lambda file: (file.count(os.sep), len(file), file))
    loose = [f for f in there if f.lower().endswith(".ipynb")]
    return alike or (loose if len(loose) == 1 and not others else [])


def _bare(name: str) -> str:
    """Reduce a file's name to what tells notebooks apart."""
    import re

    stem = Path(name).name.casefold()
    stem = re.sub(r"\.(json|txt)$", "", stem)
    stem = re.sub(r"\.ipynb$", "", stem)
    stem = re.sub(r"\s*\(\d+\)|[-_ ]+(copy|final|kopie)\s*\d*$|-\d+$", "", stem)
    return re.sub(r"[\W_]+", "", stem)


def other_files(course: Course, folder: Path) -> tuple[list[str], list[Remark]]:
    """Return the names of the plain files besides notebooks that nbgrader keeps, and remarks.

    Links, and files larger than `CourseDirectory.max_file_size` (kilobytes), are left out.
    """
    limit = course.coursedir.max_file_size * 1000
    kept, remarks = [], []
    for name in list_files(folder, [*course.coursedir.ignore, "*.ipynb"]):
        if (folder / name).lstat().st_size > limit:
            text = f"{name} is larger than {limit // 1000:,} kB and was not kept."
            remarks.append(Remark("large_file", text))
        else:
            kept.append(name)
    return kept, remarks


def read_timestamp(folder: Path) -> tuple[datetime | None, list[Remark]]:
    """Return when a submission was made (UTC, naive as in the gradebook), and remarks.

    A timestamp that cannot be read counts as none: then nothing is late.
    """
    from nbgrader.utils import parse_utc

    if not os.path.lexists(folder / TIMESTAMP):
        return None, []
    try:
        text = read_file(folder, TIMESTAMP, LONGEST_TIMESTAMP).decode("utf-8-sig").strip()
        if not text:
            return None, []
        return parse_utc(text), []
    except (OddFile, ValueError, OverflowError, TypeError, AttributeError):
        remark = "timestamp.txt holds no date and time: when it was handed in is not known."
        return None, [Remark("odd_timestamp", remark, needs_look=True)]
