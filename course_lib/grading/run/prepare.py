"""Before the batch: the assignment is in the gradebook, and its own answers earn full marks."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from course_lib.grading.result import Result
from course_lib.grading.run.course import Course, CourseError
from course_lib.grading.run.database import create_gradebook
from course_lib.grading.run.gradebook import GradebookWriter
from course_lib.grading.run.ledger import SourceState
from course_lib.grading.run.sources import Sources
from course_lib.grading.settings import Settings
from course_lib.grading.template import Delimiters

if TYPE_CHECKING:
    from course_lib.grading.calibrate import Calibration


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
        writer.keep_source_state(SourceState(sources.digest))
    return True


def _released(course: Course, assignment: str) -> str:
    """Return the digest of the sources that the gradebook holds, "" if it does not hold them."""
    try:
        with GradebookWriter(course, assignment) as writer:
            return writer.source_state().released
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


Modes = tuple[tuple[str, str], ...]
Tried = tuple[bytes, Settings, Delimiters, tuple[tuple[str, bytes], ...], int]


def calibrated(grade: Callable[[Any], Result] | None, tried: Tried) -> Calibration:
    """Try one notebook's own answers, in a worker."""
    from course_lib.grading.calibrate import calibrate

    return calibrate(*tried, grade=grade)


def settled(
    outcomes: Iterable[tuple[str, Calibration | BaseException]],
) -> tuple[dict[str, Modes], list[str]]:
    """Return how each notebook's tests are run, and what the instructor may like to know.

    Raises:
        CourseError: the instructor's own answers do not earn full marks; names the cells.
    """
    modes: dict[str, Modes] = {}
    notes, problems = [], []
    for notebook, outcome in outcomes:
        if isinstance(outcome, BaseException):
            problems.append(f"{notebook}: {outcome}")
            continue
        modes[notebook] = outcome.modes
        notes += [f"{notebook}: {note}" for note in outcome.notes]
        problems += [f"{notebook}: {problem}" for problem in outcome.problems]
    if problems:
        raise CourseError(
            "the instructor's own answers do not earn full marks, so no student could:\n  "
            + "\n  ".join(problems)
            + "\nMend the notebook in the source folder, then run this again"
        )
    return modes, notes
