"""File names in the archives that Canvas and Moodle make of all submissions.

Canvas: `NAME_[LATE_]USERID_FILEID_NOTEBOOK.ipynb`, NAME being the sorted name in small letters
without blanks; a file handed in again is called `NOTEBOOK-1.ipynb`; with anonymous grading it is
`[LATE_]anon_ID_FILEID_NOTEBOOK.ipynb`. (Canvas: lib/content_zipper.rb.)

Moodle: a folder `NAME_ID_assignsubmission_file` for each student (older versions end it with an
underscore) or, without folders, `NAME_ID_assignsubmission_file_NOTEBOOK.ipynb`; NAME is
"Participant" where grading is blind. (Moodle: mod/assign/classes/downloader.php.)
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.plugins import FileNameCollectorPlugin
from traitlets import Dict, Unicode

# Both LMSs keep such numbers out of people's names, but not out of file names, which students
# choose: the first match from the left is the LMS's.
CANVAS = re.compile(
    r"(?:.*?_)?(?:LATE_)?(?P<student>(?<![^_])\d+|anon_[^\W_]+)_(?P<version>\d+)_(?P<file>[^_].*)"
)
MOODLE = re.compile(r".*?_(?P<student>\d+)_assignsubmission_file(?:_(?P<file>.+)?)?")
AGAIN = re.compile(r"-\d+$| ?\(\d+\)$")  # what Canvas and browsers add to a name that was there


@dataclass(frozen=True)
class Parsed:
    """What a path says: the LMS's id of the student, the notebook's file, and which is newer."""

    student: str
    file: str
    version: int = 0


def parse(path: str) -> Parsed | None:
    """Read the path of an extracted file; None if neither LMS makes such a name.

    A notebook may also lie in a folder of such a name: Moodle's, or an archive that the student
    handed in. The outermost such name counts: what is inside is named by the student.
    """
    *folders, name = Path(path).parts
    for folder in folders:
        for pattern in (MOODLE, CANVAS):
            found = pattern.fullmatch(folder)
            if found:
                return _parsed(found, name)
    for pattern in (MOODLE, CANVAS):
        found = pattern.fullmatch(name)
        if found and found["file"]:
            return _parsed(found, found["file"])
    return None


def _parsed(found: re.Match[str], file: str) -> Parsed:
    return Parsed(found["student"], file, int(found.groupdict().get("version") or 0))


class LmsFileCollector(FileNameCollectorPlugin):  # type: ignore[misc]
    """Finds student and notebook in the file names of Canvas and Moodle.

    `c.FileNameCollectorPlugin.named_regexp`, if the course sets it, goes before both.
    """

    student_ids: Any = Dict(
        key_trait=Unicode(),
        value_trait=Unicode(),
        help="The course's student id for each id of the LMS; those not named here are looked "
        "up as lms_user_id in the gradebook, and else taken as they are.",
    ).tag(config=True)

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Return the student's and the notebook's name, None for a file to leave out.

        Of several files for the same notebook the one that was handed in last is taken.
        """
        if self.named_regexp:
            info: dict[str, Any] | None = super().collect(submitted_file)
            return info
        if Path(submitted_file).suffix not in self.valid_ext:
            return None
        parsed = parse(self._relative(submitted_file))
        if parsed is None:
            return None
        key = parsed.student, self._notebook(parsed.file)
        if self._newest.get(key, submitted_file) != submitted_file:
            self.log.warning("Left out, there is a newer one: %s", submitted_file)
            return None
        return {"student_id": self._student(parsed.student), "file_id": key[1]}

    @property
    def _root(self) -> str:
        app = self.parent
        return str(app._format_collect_path(app.extracted_directory))  # noqa: SLF001

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self._root)

    def _notebook(self, file: str) -> str:
        """Return the released notebook's file name that this one stands for, if there is one."""
        bare = AGAIN.sub("", Path(file).stem) + Path(file).suffix
        known = file in self._released or bare not in self._released
        return file if known else bare

    @cached_property
    def _released(self) -> set[str]:
        folders = self.parent.coursedir
        place = folders.format_path(folders.release_directory, ".", folders.assignment_id)
        return {path.name for path in Path(place).glob("*.ipynb")}

    @cached_property
    def _newest(self) -> dict[tuple[str, str], str]:
        best: dict[tuple[str, str], tuple[tuple[int, int, str], str]] = {}
        for place, _, files in os.walk(self._root):
            for path in (f"{place}{os.sep}{name}" for name in files):
                parsed = parse(self._relative(path))
                if parsed is not None and Path(path).suffix in self.valid_ext:
                    key = parsed.student, self._notebook(parsed.file)
                    rank = parsed.version, -path.count(os.sep), path
                    best[key] = max(best.get(key, ((-1, 0, ""), "")), (rank, path))
        return {key: path for key, (_, path) in best.items()}

    def _student(self, lms_id: str) -> str:
        known = self.student_ids.get(lms_id) or self._lms_ids.get(lms_id)
        return str(known or lms_id)

    @cached_property
    def _lms_ids(self) -> dict[str, str]:
        """The course's id for each LMS id that the gradebook knows."""
        from nbgrader.api import Gradebook

        from course_lib.grading.run.course import put_alembic_on_path

        put_alembic_on_path()
        folders = self.parent.coursedir
        with Gradebook(folders.db_url, folders.course_id) as gradebook:
            return {s.lms_user_id: s.id for s in gradebook.students if s.lms_user_id}
