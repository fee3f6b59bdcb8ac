"""The two courses on disk: made, handed in, graded by stock nbgrader, and read back."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.grading.same_grades import corpus

Grade = tuple[float | None, bool]  # the automatic score, and whether a person is to grade
Grades = dict[str, dict[str, Grade]]  # by "student/notebook" and cell

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "intro"
"""
PS1 = ("problem1", "problem2")


def environment() -> dict[str, str]:
    """Return an environment in which nbgrader finds `alembic`."""
    folder = str(Path(sys.executable).parent)
    root = str(Path(__file__).parents[3])
    return {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": root,
    }


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a course's folder."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader in a course's folder."""
    return run(folder, "-m", "nbgrader", *arguments)


class CourseOnDisk:
    """One course: its folder, its assignment, and what students wrote.

    notebooks: by name, what each student wrote.
    """

    def __init__(
        self, root: Path, assignment: str, notebooks: Mapping[str, dict[str, list[corpus.Part]]]
    ) -> None:
        self.root, self.assignment, self.notebooks = root, assignment, notebooks

    @property
    def students(self) -> list[str]:
        return sorted({name for who in self.notebooks.values() for name in who})

    def source(self, notebook: str) -> bytes:
        return (self.root / "source" / self.assignment / f"{notebook}.ipynb").read_bytes()

    def release(self) -> None:
        done = nbgrader(self.root, "generate_assignment", self.assignment, "--force")
        assert done.returncode == 0, done.stderr

    def hand_in(self, students: Iterable[str] | None = None) -> None:
        """Write the submissions; who wrote nothing for a notebook hands it in as it is."""
        released = self.root / "release" / self.assignment
        for student in students or self.students:
            folder = self.root / "submitted" / student / self.assignment
            shutil.copytree(released, folder)
            for name, who in self.notebooks.items():
                notebook = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
                written = corpus.dump(corpus.hand_in(notebook, who.get(student, [])))
                (folder / f"{name}.ipynb").write_text(written, encoding="utf-8")

    def submission(self, student: str, notebook: str) -> bytes:
        folder = self.root / "submitted" / student / self.assignment
        return (folder / f"{notebook}.ipynb").read_bytes()

    def grades(self) -> Grades:
        """Return what is in the gradebook."""
        connection = sqlite3.connect(self.root / "gradebook.db", timeout=30)
        rows = connection.execute(
            "SELECT sa.student_id, n.name, c.name, g.auto_score, g.needs_manual_grade "
            "FROM grade g JOIN base_cell c ON c.id = g.cell_id "
            "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
            "JOIN notebook n ON n.id = sn.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        ).fetchall()
        connection.close()
        found: Grades = {}
        for student, notebook, cell, score, by_hand in rows:
            found.setdefault(f"{student}/{notebook}", {})[cell] = (score, bool(by_hand))
        return found


def quickstart(root: Path) -> CourseOnDisk:
    """Make the course of nbgrader's documentation."""
    root.mkdir(parents=True)
    done = nbgrader(root, "quickstart", "course101")
    assert done.returncode == 0, done.stderr
    return CourseOnDisk(
        root / "course101", "ps1", {name: corpus.read_submissions(name) for name in PS1}
    )


def intro(root: Path) -> CourseOnDisk:
    """Make a course as many teach it."""
    folder = root / "source" / "week1"
    folder.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(CONFIG)
    (folder / "intro.ipynb").write_text(corpus.dump(corpus.intro_notebook()), encoding="utf-8")
    shutil.copy(corpus.HERE / "temperatures.csv", folder)
    return CourseOnDisk(root, "week1", {"intro": corpus.read_submissions("intro")})


COURSES = {"quickstart": quickstart, "intro": intro}
TEXTS = {
    "quickstart": tuple(f"{name}.txt" for name in PS1),
    "intro": ("intro_source.txt", "intro.txt", "temperatures.csv"),
}


def plain(grades: Grades) -> dict[str, Any]:
    """Return grades as JSON has them."""
    return {
        who: {cell: list(grade) for cell, grade in sorted(cells.items())}
        for who, cells in sorted(grades.items())
    }
