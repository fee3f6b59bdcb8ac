"""A course as nbgrader knows it: its folders, its gradebook and its settings.

Everything is read through nbgrader's own classes, so that nbgrader_config.py means here what it
means there.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.grading.template import Delimiters


class CourseError(Exception):
    """Something in the course's own files keeps the run from starting; the text says what."""


@dataclass
class Course:
    """A course's folders and settings.

    app: what nbgrader's configurable classes take as their parent; coursedir: nbgrader's
    CourseDirectory; judge: the traits of `c.Judge`.
    """

    app: Any
    coursedir: Any
    judge: Any

    @property
    def root(self) -> Path:
        """The folder of the course."""
        return Path(self.coursedir.root)

    @property
    def log(self) -> logging.Logger:
        """Where nbgrader writes what it has to say."""
        log: logging.Logger = self.app.log
        return log

    def folder(self, step: str, assignment: str, student: str = ".") -> Path:
        """Return where nbgrader keeps a step ("source", "submitted", …) of an assignment."""
        directory = getattr(self.coursedir, f"{step}_directory")
        return Path(os.path.normpath(self.coursedir.format_path(directory, student, assignment)))

    def students(self, assignment: str) -> list[str]:
        """Return the ids of all who have a folder for the assignment in submitted/, sorted."""
        directory = self.coursedir.submitted_directory
        wanted = self.coursedir.student_id or "*"
        found = glob.glob(  # noqa: PTH207 - the pattern is an absolute path
            self.coursedir.format_path(directory, wanted, assignment)
        )
        pattern = re.compile(
            self.coursedir.format_path(directory, "(?P<student>.*)", re.escape(assignment), True),
            re.DOTALL,
        )
        matches = (pattern.fullmatch(path) for path in found if Path(path).is_dir())
        return sorted({match["student"] for match in matches if match} - self.excluded)

    @property
    def excluded(self) -> frozenset[str]:
        """The ids of students who are left out."""
        return frozenset(filter(None, self.coursedir.student_id_exclude.split(",")))

    @property
    def autograde(self) -> Any:
        """The settings of nbgrader's own Autograde."""
        from nbgrader.converters import Autograde

        return Autograde(coursedir=self.coursedir, parent=self.app)

    @property
    def delimiters(self) -> Delimiters:
        """What nbgrader cuts at and puts in, as configured."""
        from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, ClearSolutions

        solutions, tests, marks = (
            kind(parent=self.app) for kind in (ClearSolutions, ClearHiddenTests, ClearMarkScheme)
        )
        return Delimiters(
            begin_solution=solutions.begin_solution_delimeter,
            end_solution=solutions.end_solution_delimeter,
            begin_hidden=tests.begin_test_delimeter,
            end_hidden=tests.end_test_delimeter,
            begin_marks=marks.begin_mark_scheme_delimeter,
            end_marks=marks.end_mark_scheme_delimeter,
            code_stub=solutions.code_stub.get("python", Delimiters.code_stub),
            text_stub=solutions.text_stub,
        )


def open_course(root: Path | str = ".") -> Course:
    """Read a course's settings as `nbgrader` does when it is started in that folder.

    Raises:
        CourseError: there is no such folder, or its nbgrader_config.py cannot be read.
    """
    folder = Path(root).resolve()
    if not folder.is_dir():
        raise CourseError(f"the course must be a folder, got {str(root)!r}: give it with --course")
    from nbgrader.apps.baseapp import NbGrader

    put_alembic_on_path()
    with contextlib.chdir(folder):
        app = NbGrader(log_level=logging.WARNING)
        app.raise_config_file_errors = True
        try:
            app.initialize([], root=str(folder))
        except Exception as error:
            raise CourseError(f"nbgrader_config.py of {folder} cannot be read: {error}") from error
    from traitlets import TraitError

    try:
        return course_of(app, app.coursedir)
    except TraitError as error:
        raise CourseError(f"nbgrader_config.py of {folder} cannot be used: {error}") from error


def course_of(parent: Any, coursedir: Any) -> Course:
    """Wrap what a running nbgrader already has: an app or a converter, and its CourseDirectory."""
    from course_lib.grading.run.judge_traits import Judge

    return Course(parent, coursedir, Judge(parent=parent))


def put_alembic_on_path() -> None:
    """Let nbgrader find `alembic`, which it calls by name, beside the Python that runs."""
    folder = str(Path(sys.executable).parent)
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([folder, os.environ.get("PATH", "")])
