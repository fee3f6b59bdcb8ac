"""A graded course made by hand: gradebook, ledger, autograded notebooks as the judge leaves them.

Nothing is run: what each student got is stated by the test.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from course_lib.grading.marks import Course
from course_lib.grading.result import CellScore, Mistake, Remark, Result

DUE = datetime(2026, 3, 1, 12, 0)


def cell(kind: str, source: str, grade_id: str = "", points: float = 0, **more: Any) -> dict:
    """One cell of a notebook: kind is code, text, answer, test, manual, written or task."""
    flags = {
        "answer": {"grade": False, "solution": True, "locked": False, "task": False},
        "test": {"grade": True, "solution": False, "locked": True, "task": False},
        "manual": {"grade": True, "solution": True, "locked": False, "task": False},
        "written": {"grade": True, "solution": True, "locked": False, "task": False},
        "task": {"grade": False, "solution": False, "locked": True, "task": True},
    }.get(kind)
    is_text = kind in ("text", "written", "task")
    metadata: dict[str, Any] = {}
    if flags:
        metadata["nbgrader"] = {"grade_id": grade_id, "schema_version": 3, **flags}
        if flags["grade"] or flags["task"]:
            metadata["nbgrader"]["points"] = points
    made = {"cell_type": "markdown" if is_text else "code", "metadata": metadata, "source": source}
    if not is_text:
        made |= {"execution_count": None, "outputs": []}
    return made | more


def notebook(*cells: dict, **metadata: Any) -> dict[str, Any]:
    for number, one in enumerate(cells):
        one.setdefault("id", f"cell-{number}")
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def result_of(html: str = "", mistakes: tuple[Mistake, ...] = ()) -> dict:
    """The execute_result of one of our checks."""
    return {
        "output_type": "execute_result",
        "execution_count": None,
        "data": {"text/html": html, "text/plain": "report"},
        "metadata": {"judge": {"mistakes": [asdict(m) for m in mistakes]}},
    }


@dataclass
class Got:
    """What one student got for one notebook: cells by the judge, then what a person changed."""

    cells: list[CellScore]
    remarks: tuple[Remark, ...] = ()
    penalty: float = 0.0
    manual: dict[str, float] = field(default_factory=dict)
    extra: dict[str, float] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    cpu: float = 0.1


class ScratchCourse:
    """A course of one assignment in a folder. `notebooks`: the instructor's, by name."""

    def __init__(self, root: Path, assignment: str, notebooks: dict[str, dict]) -> None:
        from nbgrader.api import Base, Gradebook
        from sqlalchemy import create_engine, text

        self.root, self.assignment, self.notebooks = root, assignment, notebooks
        self.course = Course(root=root, db_url=f"sqlite:///{root / 'gradebook.db'}")
        # Made here, since Gradebook() starts another program to make it.
        engine = create_engine(self.course.db_url)
        Base.metadata.create_all(engine)
        with engine.begin() as connection:
            connection.execute(
                text(
                    "CREATE TABLE judge_ledger (student VARCHAR, assignment VARCHAR, "
                    "notebook VARCHAR, fingerprint VARCHAR, result TEXT)"
                )
            )
        engine.dispose()
        self.gradebook = Gradebook(self.course.db_url)
        self.gradebook.add_assignment(assignment, duedate=DUE)
        for name, made in notebooks.items():
            self.gradebook.update_or_create_notebook(name, assignment)
            for one in made["cells"]:
                marks = one["metadata"].get("nbgrader", {})
                place = (marks.get("grade_id"), name, assignment)
                more = {"max_score": marks.get("points", 0), "cell_type": one["cell_type"]}
                if marks.get("grade"):
                    self.gradebook.update_or_create_grade_cell(*place, **more)
                if marks.get("solution"):
                    self.gradebook.update_or_create_solution_cell(*place)
                if marks.get("task"):
                    self.gradebook.update_or_create_task_cell(*place, **more)
        self._cells = self._cell_ids()

    def _cell_ids(self) -> dict[tuple[str, str, str], str]:
        from nbgrader.api import BaseCell, Notebook

        rows = self.gradebook.db.query(
            Notebook.name, BaseCell.name, BaseCell.type, BaseCell.id
        ).join(Notebook, BaseCell.notebook_id == Notebook.id)
        return {(row[0], row[1], row[2]): row[3] for row in rows}

    def close(self) -> None:
        self.gradebook.close()

    def enrol(self, *students: str, first: str = "", last: str = "") -> None:
        for student in students:
            self.gradebook.add_student(student, first_name=first, last_name=last)

    def hand_in(
        self,
        student: str,
        got: dict[str, Got],
        late: timedelta = timedelta(0),
        pages: dict[str, dict] | None = None,
    ) -> None:
        """Record what a student got; `pages`: the graded notebooks to write into autograded/."""
        self.hand_in_all({student: got}, late)
        folder = self.root / "autograded" / student / self.assignment
        if pages:
            folder.mkdir(parents=True, exist_ok=True)
        for name, page in (pages or {}).items():
            (folder / f"{name}.ipynb").write_text(json.dumps(page), encoding="utf-8")

    def hand_in_all(
        self, students: dict[str, dict[str, Got]], late: timedelta = timedelta(0)
    ) -> None:
        from nbgrader.api import (
            Comment,
            Grade,
            Notebook,
            Student,
            SubmittedAssignment,
            SubmittedNotebook,
        )
        from sqlalchemy import insert, text

        db = self.gradebook.db
        assignment = self.gradebook.find_assignment(self.assignment).id
        names = dict(
            db.query(Notebook.name, Notebook.id).filter(Notebook.assignment_id == assignment).all()
        )
        known = {row[0] for row in db.query(Student.id)}
        rows: dict[Any, list[dict]] = {
            m: [] for m in (Student, SubmittedAssignment, SubmittedNotebook, Grade, Comment)
        }
        ledger = []
        for student, notebooks in students.items():
            if student not in known:
                rows[Student].append({"id": student})
            handed = uuid.uuid4().hex
            rows[SubmittedAssignment].append(
                {"id": handed, "assignment_id": assignment, "student_id": student,
                 "timestamp": DUE + late if late else DUE - timedelta(hours=5)}
            )  # fmt: skip
            for name, got in notebooks.items():
                number = uuid.uuid4().hex
                rows[SubmittedNotebook].append(
                    {"id": number, "assignment_id": handed, "notebook_id": names[name],
                     "flagged": False, "late_submission_penalty": got.penalty or None}
                )  # fmt: skip
                for score in got.cells:
                    kind = (name, score.grade_id, "GradeCell")
                    kind = kind if kind in self._cells else (name, score.grade_id, "TaskCell")
                    manual = got.manual.get(score.grade_id)
                    rows[Grade].append(
                        {"id": uuid.uuid4().hex, "notebook_id": number,
                         "cell_id": self._cells[kind], "auto_score": score.score,
                         "manual_score": manual, "extra_credit": got.extra.get(score.grade_id),
                         "needs_manual_grade": score.score is None and manual is None}
                    )  # fmt: skip
                for (where, grade_id, kind), cell_id in self._cells.items():
                    # nbgrader's own feedback wants a row for each cell, with a comment or without.
                    if where == name and kind != "GradeCell":
                        rows[Comment].append(
                            {"id": uuid.uuid4().hex, "notebook_id": number, "cell_id": cell_id,
                             "manual_comment": got.comments.get(grade_id)}
                        )  # fmt: skip
                result = Result(
                    {}, tuple(got.cells), got.remarks, "landlock+seccomp", got.cpu, got.cpu * 2
                )
                plain = {k: v for k, v in result.to_plain().items() if k != "notebook"}
                ledger.append(
                    {"student": student, "assignment": self.assignment, "notebook": name,
                     "fingerprint": "f", "result": json.dumps(plain)}
                )  # fmt: skip
        for model, added in rows.items():
            if added:
                db.execute(insert(model.__table__), added)
        statement = (
            "INSERT INTO judge_ledger VALUES (:student, :assignment, :notebook, :fingerprint, "
            ":result)"
        )
        db.execute(text(statement), ledger)
        db.commit()
