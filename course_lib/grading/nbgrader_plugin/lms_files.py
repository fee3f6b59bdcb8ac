"""`nbgrader zip_collect` for the archives of Canvas and Moodle: whose file is which notebook."""

from __future__ import annotations

import os
from datetime import UTC
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.plugins import FileNameCollectorPlugin
from traitlets import Dict, Unicode

from course_lib.grading.nbgrader_plugin.extracted import Extracted, Found, add_names, be_quiet
from course_lib.grading.nbgrader_plugin.lms_names import parse
from course_lib.grading.printable import MARKUP
from course_lib.grading.submission import read_timestamp, timestamp
from course_lib.grading.submission.lms_marks import FILE_NAME, FOLDER
from course_lib.grading.submission.timestamp import read_time

__all__ = ["LmsFileCollector", "parse"]


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

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        be_quiet(self.log)

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Return the student's and the notebook's name, None for a file to leave out.

        Of several files for the same notebook the one that was handed in last is taken. A
        notebook of another name than those released keeps it: the run knows it by its content.
        """
        if self.named_regexp:
            info: dict[str, Any] | None = super().collect(submitted_file)
            if info and MARKUP.search(str(info.get("student_id", ""))):
                self.log.warning("Left out, its student id could act in a page: %r", submitted_file)
                return None
            if info and _is_courses_own(info.get("file_id", ""), submitted_file):
                self.log.warning("Left out, the course alone writes such files: %s", submitted_file)
                return None
            return info
        relative = os.path.relpath(submitted_file, self._root)
        folder, *rest = Path(relative).parts
        if folder == FOLDER:
            marked = rest[0] in self._found.students
            return self._info(rest[0], FILE_NAME) if marked else None
        found = self._found.by_path.get(submitted_file)
        if found is None or _is_courses_own(found.notebook, submitted_file):
            return None
        if self._found.newest[found.student, found.notebook] != submitted_file:
            self.log.warning("Left out, there is a newer one: %s", submitted_file)
            return None
        return self._info(found.student, found.notebook)

    def _info(self, lms_id: str, file: str) -> dict[str, Any]:
        student = self._student(lms_id)
        info = {"student_id": student, "file_id": file}
        # Collecting anew clears the folder; a time that can be believed is kept. Where there is
        # none, one that the student put in counts, with a remark.
        if student not in self._times:
            folders = self.parent.coursedir
            place = folders.format_path(folders.submitted_directory, student, folders.assignment_id)
            when, _ = read_timestamp(Path(place))
            if when is None and lms_id in self._found.own_times:
                when, _ = read_time(Path(self._found.own_times[lms_id]))
            self._times[student] = (
                f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f UTC}" if when else ""
            )
        return info | ({"timestamp": self._times[student]} if self._times[student] else {})

    @property
    def _root(self) -> str:
        app = self.parent
        return str(app._format_collect_path(app.extracted_directory))  # noqa: SLF001

    @cached_property
    def _times(self) -> dict[str, str]:
        return {}

    @cached_property
    def _found(self) -> Found:
        """All that was extracted; what is left out is told, and names go into the gradebook."""
        folders = self.parent.coursedir
        place = folders.format_path(folders.release_directory, ".", folders.assignment_id)
        released = {path.name for path in Path(place).glob("*.ipynb")}
        found = Extracted(self._root, released, tuple(self.valid_ext)).look()
        found.tell(self.log)
        create = self.config.get("Autograde", {}).get("create_student", True)
        add_names(
            folders.db_url,
            folders.course_id,
            {self._student(lms_id): name for lms_id, name in found.names.items()},
            create=bool(create),
        )
        return found

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


def _is_courses_own(file_id: str, path: str) -> bool:
    """Say whether a file would be collected under a name that only the course may write.

    nbgrader puts the file's own suffix in place of that of the name. A timestamp.txt in the folder
    goes before the time that the LMS or the collector gives.
    """
    name = os.path.normpath(str(Path(file_id).with_suffix("")) + Path(path).suffix)
    return name.casefold() in (timestamp.FILE_NAME, FILE_NAME)
