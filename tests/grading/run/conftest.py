"""Scratch courses, graded by a stand-in for the judge."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from scratch_course import ASSIGNMENT, ScratchCourse  # noqa: E402
from stand_in_judge import judge  # noqa: E402

from course_lib.grading.run import Choice, Summary, autograde, open_course  # noqa: E402
from course_lib.grading.run.prepare import release  # noqa: E402
from course_lib.grading.run.sources import read_sources  # noqa: E402


@pytest.fixture(scope="session")
def released_gradebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook with the assignment in it: nbgrader takes two seconds to make one."""
    first = ScratchCourse(tmp_path_factory.mktemp("first") / "course")
    opened = open_course(first.root)
    release(opened, ASSIGNMENT, read_sources(opened, ASSIGNMENT))
    return first.root / "gradebook.db"


@pytest.fixture
def course(make_course: Callable[..., ScratchCourse]) -> ScratchCourse:
    return make_course()


@pytest.fixture
def make_course(tmp_path: Path, released_gradebook: Path) -> Callable[..., ScratchCourse]:
    """Make more courses: make_course(notebooks=(…), more="lines of configuration")."""
    made = []

    def make(**choice: Any) -> ScratchCourse:
        made.append(ScratchCourse(tmp_path / f"course {len(made)}", **choice))
        shutil.copy(released_gradebook, made[-1].root / "gradebook.db")
        return made[-1]

    return make


def graded_here(course: ScratchCourse, grade: Any = judge, **choice: Any) -> Summary:
    """Grade a scratch course in this process."""
    chosen = Choice(**{"jobs": 2} | choice)
    opened = open_course(course.root)
    return autograde(opened, ASSIGNMENT, chosen, grade=grade, stream=io.StringIO())


@pytest.fixture
def run() -> Callable[..., Summary]:
    """Grade a scratch course in this process: run(course, force=True, …)."""
    return graded_here
