"""What `nbgrader autograde` converts notebooks with: the judge in place of a kernel.

nbgrader's Autograde makes an exporter, asks it for each notebook twice (to sanitise it, then to
grade it), and writes what it returns. Here the first time grades the file that was handed in, and
the second time records the grades. No preprocessor runs and no kernel starts.
"""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import os
import weakref
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.converters import NbGraderException
from nbgrader.coursedir import CourseDirectory

from course_lib.grading.result import Result
from course_lib.grading.run import CourseError, GradebookWriter, Plan, course_of, make_plan
from course_lib.grading.run.graded_files import is_draft, notebook_bytes
from course_lib.grading.run.handed_in import HandedIn, look_into
from course_lib.grading.run.plain_files import walk
from course_lib.grading.run.plan import settle_tests
from course_lib.grading.run.pool import open_pool
from course_lib.grading.run.second_try import grade_surely
from course_lib.grading.submission import read_timestamp
from course_lib.grading.submission.folder_files import DEEPEST


class TolerantCourseDirectory(CourseDirectory):  # type: ignore[misc]
    """The course's folders, where a timestamp that is none is no timestamp, and stops nobody."""

    def get_existing_timestamp(self, dest_path: str) -> datetime | None:
        """Return when a submission was handed in (UTC, naive), None if that is not known."""
        when, _ = read_timestamp(Path(dest_path))
        return when.astimezone(UTC).replace(tzinfo=None) if when else None

    @classmethod
    def like(cls, other: CourseDirectory) -> TolerantCourseDirectory:
        """Return one with the settings of another."""
        values = {name: getattr(other, name) for name in other.trait_names(config=True)}
        return cls(parent=other.parent, **values)


@dataclass(frozen=True)
class _Graded:
    result: Result
    fingerprint: str
    text: str
    handed_in: HandedIn
    missing: bool


class JudgeExporter(NotebookExporter):
    """Grades instead of converting; made by nbgrader's Autograde, which is its `parent`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)  # type: ignore[no-untyped-call]
        self._graded: dict[tuple[str, str], _Graded] = {}
        self._looked: dict[str, HandedIn] = {}
        converter = self._converter
        converter.coursedir = TolerantCourseDirectory.like(converter.coursedir)
        self._ignored = list(converter.coursedir.ignore)
        self._usual_hook = converter.pre_convert_hook
        try:
            self._plan = self._prepare()
        except CourseError as error:
            converter.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        self._writer = GradebookWriter(self._plan.course, self._plan.assignment)
        weakref.finalize(self, _close, self._writer)
        self._choose_notebooks()
        converter.pre_convert_hook = self._before_student

    def from_filename(
        self, filename: str, resources: Any = None, **_: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Grade the notebook of one student, or record it when asked for it again."""
        about = resources["nbgrader"]
        key = about["student"], about["notebook"]
        if self._converter._sanitizing:  # noqa: SLF001 - the only sign of which pass it is
            self._graded[key] = self._grade(*key)
            text = self._graded[key].text
        else:
            graded = self._graded.pop(key)
            text = graded.text
            self._record(*key, graded, hashlib.sha256(text.encode()).hexdigest())
        return text, self._init_resources(resources)  # type: ignore[no-untyped-call]

    @property
    def _converter(self) -> Any:
        return self.parent

    # ------------------------------------------------------------ before the first notebook

    def _prepare(self) -> Plan:
        """Release what changed, and try the instructor's own answers, as `autograde` does."""
        converter = self._converter
        course = course_of(converter, converter.coursedir)
        plan = make_plan(course, converter.coursedir.assignment_id)
        with (
            open_pool(course.judge.jobs) as (executor, width),
            GradebookWriter(course, plan.assignment) as writer,
        ):
            plan, notes = settle_tests(plan, writer, executor, None, width)
        for note in notes:
            converter.log.info("%s", note)
        return plan

    def _choose_notebooks(self) -> None:
        """Have nbgrader ask for every notebook that was handed in, under its right name.

        It asks for files by name, so a renamed or misplaced one would be lost. Where nothing was
        found at all, it is asked for everything, so that the student gets zeros and a remark.
        """
        converter, plan = self._converter, self._plan
        self._names = names = fnmatch.filter(plan.templates, converter.coursedir.notebook_id)
        directory = converter.coursedir.submitted_directory
        chosen = {}
        for student in plan.course.students(plan.assignment):
            folder = converter.coursedir.format_path(directory, student, plan.assignment)
            looked = look_into(plan.course, Path(folder), plan.templates)
            there = [name for name in names if looked.notebooks[name].path is not None]
            chosen[folder] = [f"{folder}{os.sep}{name}.ipynb" for name in there or names]
        converter.assignments = chosen

    def _before_student(self, **about: Any) -> None:
        """Look into the student's folder; then run the course's own hook.

        nbgrader would follow a link and copy what it leads to: links and oversized files are put
        on the list of what it ignores. Notebooks that were not handed in get their zeros here.
        """
        converter = self._converter
        folder = Path(converter.notebooks[0]).parent
        converter.coursedir.ignore = self._ignored
        try:
            looked = look_into(self._plan.course, folder, self._plan.templates)
            left_out = _left_out(folder, looked)
        except BaseException:
            converter.coursedir.ignore = ["*"]  # nbgrader goes on: let it copy nothing
            raise
        converter.coursedir.ignore = self._ignored + left_out
        about_one = converter.init_single_notebook_resources(converter.notebooks[0])
        student = about_one["nbgrader"]["student"]
        self._looked = {student: looked}
        asked_for = {Path(path).stem for path in converter.notebooks}
        for name in self._names:
            if name not in asked_for:
                self._record(student, name, self._grade(student, name), "")
        if self._usual_hook is not None:
            self._usual_hook(**about)

    # ------------------------------------------------------------ each notebook

    def _grade(self, student: str, notebook: str) -> _Graded:
        from course_lib.grading.grade import grade_job

        plan, looked = self._plan, self._looked[student]
        file = looked.notebooks[notebook]
        content, remarks = file.read()
        if notebook == next(iter(plan.templates)):
            remarks = (*remarks, *looked.remarks)
        result = grade_surely(grade_job, plan.job(notebook, content, student, remarks))
        print_ = plan.fingerprint(student, notebook, content, remarks)
        text = notebook_bytes(result.notebook).decode()
        return _Graded(result, print_, text, looked, file.path is None)

    def _record(self, student: str, notebook: str, graded: _Graded, written: str) -> None:
        self._writer.record(
            student,
            notebook,
            graded.result,
            missing=graded.missing,
            timestamp=graded.handed_in.timestamp,
            fingerprint=graded.fingerprint,
            written=written,
        )
        for remark in graded.result.remarks:
            self._converter.log.warning("%s, %s: %s", student, notebook, remark.text)


def _left_out(folder: Path, looked: HandedIn) -> list[str]:
    """Name what nbgrader must not copy, in the way of `CourseDirectory.ignore`."""
    kept = {str(folder / name) for name in looked.others}
    left_out = []
    for place, folders, files in walk(folder, enter=lambda name: not is_draft(name)):
        deepest = len(Path(place).relative_to(folder).parts) == DEEPEST
        names = [name for name in folders if deepest or is_draft(name)]
        paths = [f"{place}{os.sep}{name}" for name in (*names, *files)]
        left_out += [glob.escape(path) for path in paths if path not in kept]
    return left_out


def _close(writer: GradebookWriter) -> None:
    from course_lib.grading.grade import close_workers

    writer.close()
    close_workers()
