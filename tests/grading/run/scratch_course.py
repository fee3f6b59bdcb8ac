"""A small course in a folder of its own, with students who hand in what a test wants."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "scratch"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
"""
ASSIGNMENT = "week 1"
Notebook = dict[str, Any]


def cell(kind: str, source: str, grade_id: str = "", points: float = 0) -> dict[str, Any]:
    """Make one cell: setup, text, solution, test, manual or task."""
    code = kind in ("setup", "solution", "test")
    made: dict[str, Any] = {
        "cell_type": "code" if code else "markdown",
        "id": f"{kind}-{grade_id}" if grade_id else kind,
        "metadata": {},
        "source": source,
    }
    if code:
        made |= {"execution_count": None, "outputs": []}
    if grade_id:
        made["metadata"]["nbgrader"] = {
            "grade": kind in ("test", "manual"),
            "grade_id": grade_id,
            "locked": kind in ("test", "task"),
            "schema_version": 3,
            "solution": kind in ("solution", "manual"),
            "task": kind == "task",
        } | ({"points": points} if kind in ("test", "manual", "task") else {})
    return made


def source_notebook(points: float = 4) -> Notebook:
    """Make an instructor's notebook: a tested answer, one in words, and a task."""
    solution = "### BEGIN SOLUTION\nanswer = 42\n### END SOLUTION"
    test = (
        "assert answer > 0\n### BEGIN HIDDEN TESTS\nassert answer == 42, 'think of the question'\n"
        "### END HIDDEN TESTS"
    )
    cells = [
        cell("setup", "import math"),
        cell("solution", solution, "answer"),
        cell("test", test, "check", points),
        cell("manual", "Because.", "why", 3),
        cell("task", "Draw it.", "drawing", 2),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


class ScratchCourse:
    """The course's folder, and what is done to it."""

    def __init__(
        self, root: Path, notebooks: tuple[str, ...] = ("p1", "p2"), more: str = ""
    ) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        (root / "nbgrader_config.py").write_text(CONFIG + more)
        for name in notebooks:
            self.write_source(name, source_notebook())
        (root / "solutions" / ASSIGNMENT).mkdir(parents=True, exist_ok=True)
        (root / "solutions" / ASSIGNMENT / "data.csv").write_text("a,b\n1,2\n")

    def write_source(self, name: str, notebook: Notebook) -> None:
        folder = self.root / "solutions" / ASSIGNMENT
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook, indent=1))

    def submit(
        self, student: str, answers: dict[str, str], timestamp: str = "", why: str = "So it is."
    ) -> Path:
        """Hand in notebooks: name → text of the solution cell."""
        folder = self.submitted(student)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in answers.items():
            released = self.root / "exercises" / ASSIGNMENT / f"{name}.ipynb"
            source = self.root / "solutions" / ASSIGNMENT / f"{name}.ipynb"
            notebook = json.loads((released if released.exists() else source).read_text())
            for each in notebook["cells"]:
                grade_id = each["metadata"].get("nbgrader", {}).get("grade_id")
                if grade_id == "answer":
                    each["source"] = text
                if grade_id == "why":
                    each["source"] = why
            (folder / f"{name}.ipynb").write_text(json.dumps(notebook))
        if timestamp:
            (folder / "timestamp.txt").write_text(timestamp)
        return folder

    def submitted(self, student: str) -> Path:
        return self.root / "submitted" / student / ASSIGNMENT

    def autograded(self, student: str) -> Path:
        return self.root / "autograded" / student / ASSIGNMENT

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.root / "gradebook.db", timeout=30)
        with connection:
            rows = connection.execute(statement, values).fetchall()
        connection.close()
        return rows

    def grades(self) -> dict[tuple[str, str, str], tuple[Any, ...]]:
        """(student, notebook, cell) → (automatic, manual, needs a person)."""
        rows = self.sql(
            "SELECT sa.student_id, n.name, c.name, g.auto_score, g.manual_score, "
            "g.needs_manual_grade FROM grade g JOIN base_cell c ON c.id = g.cell_id "
            "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
            "JOIN notebook n ON n.id = sn.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        )
        return {row[:3]: row[3:] for row in rows}

    def comments(self) -> dict[tuple[str, str, str], str | None]:
        rows = self.sql(
            "SELECT sa.student_id, n.name, c.name, k.auto_comment FROM comment k "
            "JOIN base_cell c ON c.id = k.cell_id "
            "JOIN submitted_notebook sn ON sn.id = k.notebook_id "
            "JOIN notebook n ON n.id = sn.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        )
        return {row[:3]: row[3] for row in rows}

    def notebooks(self) -> dict[tuple[str, str], tuple[Any, ...]]:
        """(student, notebook) → (timestamp, late penalty, flagged)."""
        rows = self.sql(
            "SELECT sa.student_id, n.name, sa.timestamp, sn.late_submission_penalty, sn.flagged "
            "FROM submitted_notebook sn JOIN notebook n ON n.id = sn.notebook_id "
            "JOIN submitted_assignment sa ON sa.id = sn.assignment_id"
        )
        return {row[:2]: row[2:] for row in rows}

    def ledger(self) -> dict[tuple[str, str], tuple[Any, ...]]:
        rows = self.sql(
            "SELECT student, notebook, fingerprint, written, grades, needs_look, result "
            "FROM judge_ledger"
        )
        return {row[:2]: row[2:] for row in rows}

    def ledger_or_nothing(self) -> dict[tuple[str, str], tuple[Any, ...]]:
        try:
            return self.ledger()
        except sqlite3.Error:
            return {}

    def files(self) -> dict[str, bytes]:
        """All that is in autograded/."""
        place = self.root / "autograded"
        return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}

    def state(self) -> dict[str, Any]:
        """All that an interrupted and repeated run must leave as an undisturbed one does."""
        return {
            "grades": self.grades(),
            "comments": self.comments(),
            "notebooks": self.notebooks(),
            "ledger": self.ledger(),
            "files": self.files(),
            "students": self.sql("SELECT id FROM student ORDER BY id"),
        }
