"""The instructor's notebooks of an assignment, and the public files beside them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.grading.run.course import Course, CourseError
from course_lib.grading.run.plain_files import list_files
from course_lib.grading.template import Delimiters, Template, read_template


@dataclass(frozen=True)
class Source:
    """One notebook of an assignment: the file's bytes, and the notebook taken apart."""

    name: str
    content: bytes
    template: Template


@dataclass(frozen=True)
class Sources:
    """All of an assignment: notebooks by name, data files by relative path; digest of it all."""

    notebooks: dict[str, Source]
    data: tuple[tuple[str, bytes], ...]
    delimiters: Delimiters
    digest: str


def read_sources(course: Course, assignment: str) -> Sources:
    """Read an assignment's notebooks from the folder nbgrader calls source.

    Raises:
        CourseError: there are none, or one of them is no notebook.
    """
    folder = course.folder("source", assignment)
    paths = sorted(p for p in folder.glob("*.ipynb") if p.is_file())
    if not paths:
        raise CourseError(
            f"the assignment {assignment!r} must have notebooks in {folder}, found none: check "
            "the name, or c.CourseDirectory.source_directory in nbgrader_config.py"
        )
    delimiters = course.delimiters
    notebooks = {}
    for path in paths:
        content = path.read_bytes()
        try:
            template = read_template(json.loads(content.decode("utf-8-sig")), delimiters)
        except (ValueError, KeyError, TypeError) as error:
            raise CourseError(f"{path} cannot be read: {error}") from error
        notebooks[path.stem] = Source(path.stem, content, template)
    data = _data_files(course, folder)
    digest = hashlib.sha256(json.dumps(vars(delimiters), sort_keys=True).encode())
    files = [(name, source.content) for name, source in notebooks.items()]
    for name, content in [*files, *data, *_around(course)]:
        digest.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
    return Sources(notebooks, data, delimiters, digest.hexdigest())


def _data_files(course: Course, folder: Path) -> tuple[tuple[str, bytes], ...]:
    """Read what students were given beside the notebooks; the instructor's own links count."""
    names = list_files(folder, [*course.coursedir.ignore, "*.ipynb"], links=True)
    return tuple((name, (folder / name).read_bytes()) for name in names)


def _around(course: Course) -> list[tuple[str, bytes]]:
    """Read what nbgrader takes from the course's folder to make the students' notebooks."""
    from nbgrader.preprocessors import InstantiateTests

    frame, tests = _frame(course), InstantiateTests(parent=course.app)
    named = [name for name in (frame.header, frame.footer, tests.autotest_filename) if name]
    paths = [course.root / name for name in named]
    return [(path.name, path.read_bytes()) for path in paths if path.is_file()]


def _frame(course: Course) -> Any:
    from nbgrader.preprocessors import IncludeHeaderFooter

    return IncludeHeaderFooter(parent=course.app)


def as_graded(course: Course, assignment: str, sources: Sources) -> Sources:
    """Return the sources as nbgrader grades them, once the assignment is in the gradebook.

    That is: with the header and the footer that the course may have, and with the tests that
    nbgrader writes itself (`### AUTOTEST`) as it wrote them.
    """
    frame = _frame(course)
    made = {}
    for name, source in sources.notebooks.items():
        content = source.content
        if frame.header or frame.footer:
            content = _within(frame, course.root, content)
        content = _with_written_tests(course, assignment, name, content)
        template = read_template(json.loads(content.decode("utf-8-sig")), sources.delimiters)
        made[name] = Source(name, content, template)
    return Sources(made, sources.data, sources.delimiters, sources.digest)


def _within(frame: Any, root: Path, content: bytes) -> bytes:
    import contextlib

    from nbformat import from_dict

    notebook = from_dict(json.loads(content.decode("utf-8-sig")))
    with contextlib.chdir(root):
        notebook, _ = frame.preprocess(notebook, {})
    return json.dumps(notebook, ensure_ascii=False).encode()


def _with_written_tests(course: Course, assignment: str, name: str, content: bytes) -> bytes:
    """Take the cells with nbgrader's own test marks from the gradebook."""
    from nbgrader.preprocessors import InstantiateTests

    writer = InstantiateTests(parent=course.app)
    marks = (writer.autotest_delimiter, writer.hashed_delimiter)
    text = content.decode("utf-8-sig")
    if not any(mark in text for mark in marks):
        return content
    from nbgrader.api import Gradebook, MissingEntry

    notebook = json.loads(text)
    with Gradebook(course.coursedir.db_url, course.coursedir.course_id) as gradebook:
        for cell in notebook["cells"]:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and grade_id and any(mark in source for mark in marks):
                try:
                    cell["source"] = gradebook.find_source_cell(grade_id, name, assignment).source
                except MissingEntry:
                    continue
    return json.dumps(notebook, ensure_ascii=False).encode()
