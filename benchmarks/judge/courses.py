"""Courses on disk for the benchmark, with as many submissions as wanted."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.judge import lesson
from benchmarks.judge.answers import EXERCISES, SETUP, written

SMALL, LESSON = "small", "lesson-14"
CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "bench"\n'
# The checks watch calls of an answer where it runs: `course_lib.checks.remote`.
INSTRUMENTS = 'c.Judge.instruments = ["{file}"]\n'
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def environment() -> dict[str, str]:
    """Return the environment of all that is timed: `alembic` on PATH, this course's packages."""
    folder = str(Path(sys.executable).parent)
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(lesson.ROOT)}


def small_course(root: Path, submissions: range) -> None:
    """Make the course with one notebook of three small exercises, and hand in."""
    source = root / "source" / SMALL
    source.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(CONFIG)
    notebook = _notebook()
    (source / "exercises.ipynb").write_text(json.dumps(notebook, indent=1))
    for number in submissions:
        folder = root / "submitted" / f"student{number:05d}" / SMALL
        folder.mkdir(parents=True)
        (folder / "exercises.ipynb").write_text(json.dumps(_handed_in(notebook, number), indent=1))


def _notebook() -> dict[str, Any]:
    cells = [_cell("setup", SETUP)]
    for name, exercise in EXERCISES.items():
        answer = f"### BEGIN SOLUTION\n{exercise['right'][0]}\n### END SOLUTION"
        cells.append(_cell(name, answer, solution=True))
        cells.append(_cell(f"test_{name}", exercise["test"], points=exercise["points"]))
    return {
        "cells": cells,
        "metadata": {"kernelspec": KERNEL},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(name: str, source: str, *, solution: bool = False, points: int = 0) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": "code", "id": name.replace("_", "-"), "metadata": {}, "source": source,
        "execution_count": None, "outputs": [],
    }  # fmt: skip
    if solution or points:
        cell["metadata"]["nbgrader"] = {
            "grade": bool(points), "grade_id": name, "locked": bool(points), "schema_version": 3,
            "solution": solution, "task": False, **({"points": points} if points else {}),
        }  # fmt: skip
    return cell


def _handed_in(notebook: dict[str, Any], number: int) -> dict[str, Any]:
    answers, own = written(number)
    cells = []
    for cell in json.loads(json.dumps(notebook["cells"])):
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name in EXERCISES:
            stub = "# YOUR CODE HERE\nraise NotImplementedError()"
            cell["source"] = answers.get(name, stub)
        cells.append(cell)
    cells += [_cell(f"own-{i}", text) for i, text in enumerate(own)]
    return {**notebook, "cells": cells}


def lesson_course(root: Path, students: int) -> Counter[str]:
    """Copy this course and hand in; return how many answers of each kind there are."""
    for name in ("solutions", "exercises"):
        shutil.copytree(lesson.ROOT / name, root / name)
    settings = (lesson.ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    if "c.Judge.instruments" not in settings:
        settings += INSTRUMENTS.format(file=lesson.ROOT / "course_lib" / "checks" / "observe.py")
    (root / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    sources = {p.name: lesson.read(p) for p in (root / "solutions" / LESSON).glob("*.ipynb")}
    counts: Counter[str] = Counter()
    for student in range(students):
        folder = root / "submitted" / f"student{student:05d}" / LESSON
        folder.mkdir(parents=True)
        for name, source in sorted(sources.items()):
            notebook = lesson.read(root / "exercises" / LESSON / name)
            counts.update(lesson.hand_in(notebook, source, student))
            (folder / name).write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    return counts
