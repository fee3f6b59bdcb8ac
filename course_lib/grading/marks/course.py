"""Where a course keeps its files: nbgrader's configuration, read once."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.grading.run.course import CourseError
from course_lib.grading.template import Delimiters


@dataclass(frozen=True)
class Course:
    """The folders and the gradebook of one course, as nbgrader's configuration names them.

    structure: nbgrader's `directory_structure`, such as "{nbgrader_step}/{student_id}/…";
    excluded: ids of students who are left out, nbgrader's `student_id_exclude`.
    """

    root: Path
    db_url: str
    course_id: str = "default_course"
    autograded: str = "autograded"
    feedback: str = "feedback"
    submitted: str = "submitted"
    structure: str = "{nbgrader_step}/{student_id}/{assignment_id}"
    groupshared: bool = False
    delimiters: Delimiters = field(default_factory=Delimiters)
    excluded: frozenset[str] = frozenset()

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """Give the folder of one submission at one step ("autograded", "feedback", …)."""
        place = self.structure.format(
            nbgrader_step=step, student_id=student, assignment_id=assignment
        )
        return self.root / place

    def students(self, step: str, assignment: str) -> list[str]:
        """Give the students who have a folder at this step and are not excluded, sorted."""
        structure = self.structure.replace(os.sep, "/")
        pattern = re.escape(structure).replace(r"\{student_id\}", "(?P<student>[^/]+)")
        escaped = structure.format(
            nbgrader_step=glob.escape(step), student_id="*", assignment_id=glob.escape(assignment)
        )
        for name, value in (("nbgrader_step", step), ("assignment_id", assignment)):
            pattern = pattern.replace(rf"\{{{name}\}}", re.escape(value))
        places = (path.relative_to(self.root).as_posix() for path in self.root.glob(escaped))
        found = (re.fullmatch(pattern, place) for place in places)
        return sorted({match["student"] for match in found if match} - self.excluded)

    def chosen(self, step: str, assignment: str, only: Iterable[str] = ()) -> list[str]:
        """Give the students at this step, or those of them that are asked for.

        Raises:
            CourseError: the step has nobody, or not somebody who is asked for.
        """
        there = self.students(step, assignment)
        if not there:
            raise CourseError(
                f"nothing in {self.folder(step, '*', assignment)}: check the assignment's name, "
                "or run `autograde` first"
            )
        wanted = list(dict.fromkeys(only))
        missing = [student for student in wanted if student not in there]
        if missing:
            raise CourseError(
                f"no folder {self.folder(step, missing[0], assignment)}: check the student's name, "
                "or run `autograde` first"
            )
        return wanted or there

    def check_assignment(self, assignment: str) -> str:
        """Return the assignment's name if it can be one.

        Raises:
            CourseError: it is empty, or would lead out of its folder.
        """
        if not assignment or assignment in (".", "..") or re.search(r"[/\\\0*?\[\]]", assignment):
            raise CourseError(
                f"the assignment is called {assignment!r}, expected the name of a folder of "
                "the course such as 'lesson-14'"
            )
        return assignment


def open_course(root: str | Path = ".") -> Course:
    """Read nbgrader's configuration of the course in a folder.

    Raises:
        CourseError: there is no such folder, or its nbgrader_config.py cannot be read.
    """
    from course_lib.grading.run.course import open_course as configured

    settings = configured(root)
    folders = settings.coursedir
    return Course(
        root=settings.root,
        db_url=folders.db_url,
        course_id=folders.course_id or "default_course",
        autograded=folders.autograded_directory,
        feedback=folders.feedback_directory,
        submitted=folders.submitted_directory,
        structure=folders.directory_structure,
        groupshared=folders.groupshared,
        delimiters=settings.delimiters,
        excluded=settings.excluded,
    )
