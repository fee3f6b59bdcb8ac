"""What all jobs of an assignment share, settled before the first submission is read."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from course_lib.grading.job import Job
from course_lib.grading.result import Remark, Result
from course_lib.grading.run import prepare
from course_lib.grading.run.course import Course, CourseError
from course_lib.grading.run.fingerprint import (
    digest_of_dependencies,
    fingerprint,
    judge_version,
    settings_digest,
)
from course_lib.grading.run.gradebook import GradebookWriter
from course_lib.grading.run.ledger import SourceState
from course_lib.grading.run.pool import PoolError, WrongVersion, in_window
from course_lib.grading.run.seeds import hidden_environment, read_secret, submission_seed
from course_lib.grading.run.sources import Sources, as_graded, read_sources
from course_lib.grading.settings import Settings
from course_lib.grading.template import Template

GradeJob = Callable[[Any], Result]


@dataclass(frozen=True)
class Plan:
    """What all jobs of an assignment share.

    tests: by notebook, the digest of all but the submission; modes: how its tests are run.
    """

    course: Course
    assignment: str
    sources: Sources
    settings: Settings
    secret: bytes
    tests: dict[str, str]
    modes: Mapping[str, prepare.Modes] = field(default_factory=dict)

    @property
    def templates(self) -> dict[str, Template]:
        """The instructor's notebooks, taken apart, by name."""
        return {name: source.template for name, source in self.sources.notebooks.items()}

    def job(
        self,
        notebook: str,
        content: bytes | None,
        student: str = "",
        remarks: tuple[Remark, ...] = (),
    ) -> Job:
        """Make the job that judges one file."""
        return Job(
            source=self.sources.notebooks[notebook].content,
            submission=content,
            seed=self.seed(student, notebook),
            settings=self.settings,
            delimiters=self.sources.delimiters,
            data=self.sources.data,
            remarks=remarks,
            modes=self.modes.get(notebook, ()),
        )

    def seed(self, student: str, notebook: str) -> int:
        """Return the seed of one student's notebook; of the instructor's own for student ""."""
        return submission_seed(self.secret, student, self.assignment, notebook)

    def fingerprint(
        self, student: str, notebook: str, content: bytes | None, remarks: tuple[Remark, ...]
    ) -> str:
        """Return the digest of what a grade follows from."""
        texts = [remark.text for remark in remarks]
        return fingerprint(self.tests[notebook], content, self.seed(student, notebook), texts)


def make_plan(course: Course, assignment: str, *, unsafe: bool = False) -> Plan:
    """Release the assignment if need be, and settle what all its jobs share.

    Raises:
        CourseError: the sources, the settings or the gradebook keep it from being graded.
    """
    sources = read_sources(course, assignment)
    prepare.release(course, assignment, sources)
    sources = as_graded(course, assignment, sources)
    try:
        secret = read_secret(course.root)
        settings = course.judge.settings(**hidden_environment(secret, assignment))
        instruments = tuple(str(course.root / name) for name in settings.instruments)
        unsafe = settings.unsafe or unsafe
        # Workers elsewhere may have no such files: their contents go along.
        carried = tuple((path, Path(path).read_text(encoding="utf-8")) for path in instruments)
        settings = replace(settings, instruments=instruments, carried=carried, unsafe=unsafe)
        digests = [
            judge_version(),
            settings_digest(settings),
            digest_of_dependencies(course.root, course.judge.depends_on),
            *(f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in sources.data),
        ]
    except (OSError, ValueError) as error:
        raise CourseError(str(error)) from error
    tests = {
        name: hashlib.sha256(json.dumps([source.template.digest, *digests]).encode()).hexdigest()
        for name, source in sources.notebooks.items()
    }
    return Plan(course, assignment, sources, settings, secret, tests)


def settle_tests(
    plan: Plan,
    writer: GradebookWriter,
    executor: Executor,
    grade: GradeJob | None,
    width: int,
) -> tuple[Plan, list[str]]:
    """Try the instructor's own notebooks, once for each version of the tests.

    Returns the plan with how the tests are to be run, and notes for the instructor.

    Raises:
        CourseError: the instructor's own answers do not earn full marks.
    """
    state = writer.source_state()
    now = hashlib.sha256(json.dumps(plan.tests, sort_keys=True).encode()).hexdigest()
    if state.tried == now:
        return replace(plan, modes=state.modes), []
    sources = plan.sources
    tries = (
        (name, (s.content, plan.settings, sources.delimiters, sources.data, plan.seed("", name)))
        for name, s in sources.notebooks.items()
    )
    outcomes = []
    for name, outcome in in_window(executor, partial(prepare.calibrated, grade), tries, width):
        if isinstance(outcome, BaseException):
            stop_if_hopeless(outcome)
        outcomes.append((name, outcome))
    modes, notes = prepare.settled(sorted(outcomes, key=lambda pair: pair[0]))
    writer.keep_source_state(SourceState(state.released, now, modes))
    return replace(plan, modes=modes), notes


def stop_if_hopeless(error: BaseException) -> None:
    """Raise what no other job can do anything about."""
    if isinstance(error, PoolError | WrongVersion):
        raise PoolError(str(error)) from error
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error


def chosen_students(plan: Plan, wanted: tuple[str, ...]) -> list[str]:
    """Return the students to grade, () being all.

    Raises:
        CourseError: one has no folder, or nobody has.
    """
    there = plan.course.students(plan.assignment)
    unknown = sorted(set(wanted) - set(there))
    where = plan.course.folder("submitted", plan.assignment, "STUDENT")
    if unknown:
        raise CourseError(
            f"--student names {', '.join(unknown)}, who handed in nothing: there is no folder "
            f"{Path(str(where).replace('STUDENT', unknown[0]))}"
        )
    if not there:
        raise CourseError(f"no submissions: expected {where}")
    return [student for student in there if student in wanted] if wanted else there


def chosen_notebooks(plan: Plan, wanted: str) -> list[str]:
    """Return the notebooks whose names a pattern fits.

    Raises:
        CourseError: there is none.
    """
    names = list(plan.sources.notebooks)
    chosen = fnmatch.filter(names, wanted)
    if not chosen:
        raise CourseError(
            f"--notebook {wanted} is none of the assignment's notebooks: {', '.join(names)}"
        )
    return chosen
