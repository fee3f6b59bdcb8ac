"""The assignment needs no judge: stock `nbgrader autograde` gives the same points."""

from __future__ import annotations

import pytest
from nbgrader.api import Gradebook

from .conftest import LESSON, Course

pytestmark = pytest.mark.slow
STOCK = """
c.Autograde.exporter_class = "nbconvert.exporters.NotebookExporter"
del c.Autograde.sanitize_preprocessors, c.Autograde.autograde_preprocessors
c.Execute.shutdown_kernel = "immediate"
"""


def test_solutions_earn_all_and_untouched_notebooks_nothing(tmp_path, solutions, exercises):
    course = Course(tmp_path)
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text(encoding="utf-8") + STOCK, encoding="utf-8")
    assert course.nbgrader("generate_assignment", LESSON).returncode == 0
    course.submit("solutions", solutions)
    course.submit("untouched", exercises)
    done = course.nbgrader("autograde", LESSON)
    assert done.returncode == 0, done.stdout
    notebook = course.graded("untouched", "1_gpt2")
    assert "judge" not in notebook["metadata"]
    for cell in notebook["cells"]:
        assert not any(output["output_type"] == "error" for output in cell.get("outputs", []))

    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        for submission in gradebook.assignment_submissions(LESSON):
            for grade in (g for notebook in submission.notebooks for g in notebook.grades):
                if submission.student.id == "untouched":
                    assert grade.auto_score == 0, grade.name
                elif not grade.needs_manual_grade:
                    assert grade.auto_score == grade.max_score, grade.name
