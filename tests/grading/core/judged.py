"""Small notebooks, and what the judge says about answers to them."""

import json

from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from course_lib.grading.settings import Limits, Settings

SHORT = Settings(limits=Limits(cpu_seconds=1.0, wall_seconds=3.0))


def hidden(code):
    return f"### BEGIN HIDDEN TESTS\n{code}\n### END HIDDEN TESTS"


def solution(grade_id, code):
    marks = {"grade": False, "solution": True, "locked": False, "grade_id": grade_id}
    return "code", f"### BEGIN SOLUTION\n{code}\n### END SOLUTION", {"nbgrader": marks}


def checked(grade_id, code, points=1, **metadata):
    marks = {"grade": True, "solution": False, "locked": True, "grade_id": grade_id}
    return "code", code, {"nbgrader": {**marks, "points": points}, **metadata}


def given(code):
    return "code", code, {}


def by_hand(grade_id, text, points=2):
    marks = {"grade": True, "solution": True, "locked": False, "grade_id": grade_id}
    return "markdown", text, {"nbgrader": {**marks, "points": points}}


def as_bytes(cells, **metadata):
    """Return the notebook's file."""
    written = []
    for number, (kind, source, marks) in enumerate(cells):
        cell = {"cell_type": kind, "metadata": marks, "source": source, "id": f"c{number}"}
        if kind == "code":
            cell |= {"outputs": [], "execution_count": None}
        written.append(cell)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": written}
    return json.dumps(notebook).encode()


def answered(cells, answers):
    """Return the cells with a student's answers in them; `None` for "as the instructor"."""
    return [
        (kind, answers.get(marks.get("nbgrader", {}).get("grade_id"), source), marks)
        for kind, source, marks in cells
    ]


def judged(cells, answers=None, settings=SHORT, modes=(), data=(), seed=0, **metadata):
    """Return the Result of a submission with these answers; all others are the instructor's."""
    submission = as_bytes(answered(cells, answers or {}))
    job = Job(as_bytes(cells, **metadata), submission, seed, settings, data=data, modes=modes)
    return grade_job(job)


def scores(result):
    return {cell.grade_id: cell.score for cell in result.cells}


def cell_of(result, grade_id):
    return next(cell for cell in result.cells if cell.grade_id == grade_id)


def graded_cell(result, grade_id):
    """Return a cell of the graded notebook."""
    for cell in result.notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id:
            return cell
    raise KeyError(grade_id)


def public(result):
    """Return all that a student may see of the outputs, as text."""
    shown = []
    for cell in result.notebook["cells"]:
        about = cell["metadata"].get("judge", {})
        shown.append(json.dumps(about.get("public", cell.get("outputs", []))))
        shown.append(json.dumps(about.get("score", {})))
    return "\n".join(shown)
