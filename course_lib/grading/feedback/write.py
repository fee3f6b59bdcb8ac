"""Write the pages of an assignment: only those that changed, each in one step."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from course_lib.grading.feedback.page import page_version, render_page
from course_lib.grading.marks.course import Course
from course_lib.grading.marks.gradebook import read_marks
from course_lib.grading.marks.records import AssignmentMarks, NotebookMarks
from course_lib.grading.run.pool import usable_cores

# What `nbgrader release_feedback` reads beside the pages.
BESIDE = ("timestamp.txt", "submission_secret.txt")
FINGERPRINT = re.compile(rb'<meta name="feedback-fingerprint" content="([0-9a-f]{64})">')
HEAD = 2048  # bytes of a page in which its fingerprint stands
FEW = 40  # students for whom further processes would not pay


@dataclass
class Written:
    """How many pages were written, left, and removed; and what could not be, with the reason."""

    pages: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)

    def __iadd__(self, other: Written) -> Written:
        self.pages += other.pages
        self.unchanged += other.unchanged
        self.removed += other.removed
        self.failed += other.failed
        return self


def write_feedback(
    course: Course,
    assignment: str,
    students: Iterable[str] = (),
    force: bool = False,
    jobs: int = 0,
) -> Written:
    """Write a page for each graded notebook, where `nbgrader generate_feedback` puts it.

    students: only these; force: also pages that are up to date; jobs: processes, 0 by cores.

    Raises:
        CourseError: there is nothing to work on.
    """
    course.check_assignment(assignment)
    chosen = course.chosen(course.autograded, assignment, students)
    marks = read_marks(course, assignment, results=False)
    jobs = jobs or usable_cores()
    work = [(student, _marks_of(marks, student)) for student in chosen]
    one = partial(_write_student, course, assignment, force)
    done = Written()
    if jobs == 1 or len(work) < FEW:
        for item in work:
            done += one(item)
        return done
    # spawn: a fork would carry the gradebook's open connection along
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for written in pool.map(one, work, chunksize=16):
            done += written
    return done


def _marks_of(marks: AssignmentMarks, student: str) -> dict[str, NotebookMarks]:
    submission = marks.submissions.get(student)
    return dict(submission.notebooks) if submission else {}


def _write_student(
    course: Course, assignment: str, force: bool, work: tuple[str, dict[str, NotebookMarks]]
) -> Written:
    student, marks = work
    source = course.folder(course.autograded, student, assignment)
    target = course.folder(course.feedback, student, assignment)
    done = Written()
    try:
        target.mkdir(parents=True, exist_ok=True)
        notebooks = sorted(path for path in source.glob("*.ipynb") if path.is_file())
        for name in BESIDE:
            _copy(source / name, target / name, course)
    except OSError as error:
        done.failed.append((str(target), _reason(error)))
        return done
    for path in notebooks:
        page = target / f"{path.stem}.html"
        try:
            _write_notebook(course, assignment, force, path, page, marks.get(path.stem), done)
        except Exception as error:  # one odd notebook must not stop the others
            done.failed.append((str(page), _reason(error)))
    kept = {path.stem for path in notebooks}
    for left in target.glob(".*.part"):  # of a run that was killed
        if time.time() - left.stat().st_mtime > 3600:
            left.unlink(missing_ok=True)
    for page in target.glob("*.html"):
        if page.stem not in kept and _fingerprint_of(page):
            page.unlink()
            done.removed += 1
    return done


def _write_notebook(
    course: Course,
    assignment: str,
    force: bool,
    path: Path,
    page: Path,
    marks: NotebookMarks | None,
    done: Written,
) -> None:
    if marks is None:
        raise ValueError("the gradebook does not know it: run `autograde` again")
    fingerprint = _fingerprint(path, marks, assignment, course)
    if not force and _fingerprint_of(page) == fingerprint:
        done.unchanged += 1
        return
    notebook = json.loads(path.read_bytes())
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("it is no notebook of format 4: run `autograde` again")
    text = render_page(notebook, marks, assignment, course.delimiters, fingerprint)
    _replace(page, text.encode("utf-8", "replace"), course)
    done.pages += 1


def _fingerprint(path: Path, marks: NotebookMarks, assignment: str, course: Course) -> str:
    """Digest what a page depends on.

    Of the graded notebook only size and time go in: a digest of its hidden tests would let a
    student try guesses at them.
    """
    seen = path.stat()
    said = [
        page_version(),
        assignment,
        seen.st_size,
        seen.st_mtime_ns,
        marks.student,
        marks.name,
        marks.notebook,
        marks.late_penalty,
        [vars(mark) for mark in marks.marks.values()],
        dict(marks.comments),
        vars(course.delimiters),
    ]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _fingerprint_of(page: Path) -> str:
    """Return the fingerprint that a page bears; "" if there is none, or it is not one of ours."""
    try:
        with page.open("rb") as file:
            found = FINGERPRINT.search(file.read(HEAD))
    except OSError:
        return ""
    return found[1].decode() if found else ""


def _copy(source: Path, target: Path, course: Course) -> None:
    """Copy a small plain file if there is one; a link is left alone, wherever it leads."""
    try:
        seen = source.lstat()
    except OSError:
        return
    if stat.S_ISREG(seen.st_mode) and seen.st_size < 10_000:
        content = source.read_bytes()
        if not target.is_file() or target.is_symlink() or target.read_bytes() != content:
            _replace(target, content, course)


def _replace(target: Path, content: bytes, course: Course) -> None:
    """Put a file in place in one step, so that no reader and no crash sees half of it."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o664 if course.groupshared else 0o644)  # as nbgrader leaves them
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
