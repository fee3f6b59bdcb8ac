"""Before the batch: the assignment is in the gradebook, and its own answers earn full marks."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterable

from course_lib.grading.result import Result
from course_lib.grading.run.course import Course, CourseError
from course_lib.grading.run.database import create_gradebook
from course_lib.grading.run.gradebook import GradebookWriter
from course_lib.grading.run.sources import Sources


def release(course: Course, assignment: str, sources: Sources) -> bool:
    """Do what `nbgrader generate_assignment --force` does, if the sources changed since the last.

    Returns whether it was necessary.

    Raises:
        CourseError: nbgrader cannot do it.
    """
    create_gradebook(course.coursedir.db_url, course.coursedir.course_id)
    if _released(course, assignment) == sources.digest:
        return False
    _check_cells(course, assignment, sources)
    _generate(course, assignment)
    with GradebookWriter(course, assignment) as writer:
        writer.keep_source_state(sources.digest, "")
    return True


def _released(course: Course, assignment: str) -> str:
    """Return the digest of the sources that the gradebook holds, "" if it does not hold them."""
    try:
        with GradebookWriter(course, assignment) as writer:
            return writer.source_state()[0]
    except CourseError:
        return ""


def _check_cells(course: Course, assignment: str, sources: Sources) -> None:
    """Say plainly what nbgrader refuses: other cells or notebooks once students handed in."""
    from nbgrader.api import Gradebook, MissingEntry

    with Gradebook(course.coursedir.db_url, course.coursedir.course_id) as gradebook:
        try:
            found = gradebook.find_assignment(assignment)
        except MissingEntry:
            return
        if not found.submissions:
            return
        there = {n.name: {cell.name for cell in n.source_cells} for n in found.notebooks}
    wanted = {
        name: {cell.grade_id for cell in source.template.cells if cell.grade_id}
        for name, source in sources.notebooks.items()
    }
    changes = [f"the notebook {name}" for name in sorted(there.keys() ^ wanted.keys())]
    for name in sorted(there.keys() & wanted.keys()):
        changes += [f"the cell {cell} of {name}" for cell in sorted(there[name] ^ wanted[name])]
    if changes:
        raise CourseError(
            f"students have handed in {assignment}, so nbgrader lets no cell or notebook be added, "
            f"removed or renamed: {', '.join(changes)}. Put it back as it was, or start the "
            f"assignment's grades anew with `nbgrader db assignment remove {assignment} --force`"
        )


def _generate(course: Course, assignment: str) -> None:
    from nbgrader.converters import GenerateAssignment, NbGraderException
    from nbgrader.utils import temp_attrs

    said = io.StringIO()
    usual, course.log.handlers = course.log.handlers, [logging.StreamHandler(said)]
    try:
        with temp_attrs(course.coursedir, assignment_id=assignment, notebook_id="*"):
            converter = GenerateAssignment(coursedir=course.coursedir, parent=course.app)
            converter.force = True
            converter.start()
    except (NbGraderException, SystemExit) as error:
        lines = [line for line in said.getvalue().splitlines() if line.strip()]
        reason = "\n".join(lines[-15:]) or str(error)
        raise CourseError(f"nbgrader cannot generate {assignment}:\n{reason}") from error
    finally:
        course.log.handlers = usual


Fault = Callable[[str, Result], Iterable[str]]


def faults(notebook: str, result: Result) -> list[str]:
    """Name the tests that the instructor's own answers do not pass, and why."""
    found = []
    for cell in result.cells:
        if cell.score is not None and cell.score < cell.max_score:
            why = cell.reason or (cell.mistakes[0].title if cell.mistakes else cell.status)
            found.append(
                f"{notebook}: cell {cell.grade_id} earns {cell.score:g} of {cell.max_score:g}: "
                f"{why}"
            )
    return found


def check_own_answers(
    results: Iterable[tuple[str, Result | BaseException]], find: Fault = faults
) -> None:
    """Stop unless the instructor's own notebooks earn full automatic marks.

    Raises:
        CourseError: they do not; names the cells.
    """
    found: list[str] = []
    for notebook, result in results:
        if isinstance(result, BaseException):
            found.append(f"{notebook}: {result}")
        else:
            found += find(notebook, result)
    if found:
        raise CourseError(
            "the instructor's own answers do not earn full marks, so no student could:\n  "
            + "\n  ".join(found)
            + "\nMend the notebook in the source folder, then run this again"
        )
