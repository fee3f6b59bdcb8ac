"""The whole way through nbgrader with the judge in it: generate, validate, autograde, feedback.

Three students hand in: the instructor's own notebooks, the untouched ones, and half-right ones.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from course_lib.checks import check

from .conftest import LESSON, MISTAKES, Course, filled_in, grading, solution_answers

SEED = 20251
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graded(tmp_path_factory, solutions, exercises):
    course = Course(tmp_path_factory.mktemp("course"))
    done = course.nbgrader("generate_assignment", LESSON)
    assert done.returncode == 0, done.stdout
    course.submit("solutions", solutions)
    course.submit("untouched", exercises)
    answers = solution_answers(solutions) | MISTAKES
    half = {name: filled_in(exercises[name], answers) for name in ("1_gpt2", "3_parameters")}
    course.submit("half", half)
    done = course.nbgrader("autograde", LESSON, COURSE_HIDDEN_SEED=str(SEED))
    assert done.returncode == 0, done.stdout
    done = course.nbgrader("generate_feedback", LESSON)
    assert done.returncode == 0, done.stdout
    return course


@pytest.fixture(scope="module")
def points(graded):
    with Gradebook(f"sqlite:///{graded.root / 'gradebook.db'}") as gradebook:
        return {
            submission.student.id: {
                grade.name: (grade.auto_score, grade.max_score, grade.needs_manual_grade)
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in gradebook.assignment_submissions(LESSON)
        }  # fmt: skip


def text(page: str) -> str:
    """Reduce a page to what is read on it."""
    page = re.sub(r"(?s)<(style|script).*?</\1>", "", page)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def test_generate_assignment_writes_the_exercises_of_the_repository(graded, exercises):
    made = {p.stem for p in (graded.root / "exercises" / LESSON).glob("*.ipynb")}
    assert made == set(exercises)
    for name in made:
        ours = Path(__file__).resolve().parents[2] / "exercises" / LESSON / f"{name}.ipynb"
        theirs = graded.root / "exercises" / LESSON / f"{name}.ipynb"
        assert theirs.read_bytes() == ours.read_bytes()


def test_the_solutions_score_full_marks(points):
    by_hand = {name for name, (_, _, manual) in points["solutions"].items() if manual}
    assert by_hand == {"width_depth_why", "causality_why"}
    for name, (earned, most, _) in points["solutions"].items():
        assert name in by_hand or earned == most, name


def test_the_untouched_release_scores_nothing(points):
    assert len(points["untouched"]) == 23
    assert {earned for earned, _, _ in points["untouched"].values()} == {0}


def test_the_untouched_release_says_something_friendly_in_each_cell(graded, exercises):
    for name in exercises:
        notebook = graded.graded("untouched", name)
        for cell in notebook["cells"]:
            for output in cell.get("outputs", []):
                assert output["output_type"] != "error"
                assert output.get("name") != "stderr"
            if grading(cell).get("grade") and cell["cell_type"] == "code":
                (output,) = cell["outputs"]
                page = "".join(output["data"]["text/html"])
                assert " 0 of " in page
                assert "Traceback" not in page
                assert re.search("(?i)not answered yet|not written|nothing is returned", page)


def test_half_an_answer_earns_a_part(points):
    half = points["half"]
    mask = check("gpt_logits", _without_mask(), seed=SEED).score
    assert half["gpt_logits"][:2] == (mask, 10)
    assert 5 < mask < 10
    assert half["gpt3_tying"][:2] == (1, 1.5)
    assert half["layer_norm"][:2] == (0, 2)
    assert half["causal_attention"][:2] == (3, 3)
    assert half["count_gpt2_params"][:2] == (4, 4)


def test_feedback_names_the_mistake_and_shows_the_students_line(graded):
    first, third = (text(graded.feedback("half", name)) for name in ("1_gpt2", "3_parameters"))
    (mask, *_) = check("gpt_logits", _without_mask(), seed=SEED).diagnoses
    assert mask.title in first
    assert "mask" in mask.title
    assert "return g * no_such_name + b" in first
    assert "NameError" in first
    assert "the saving is divided by the tied total" in third


def test_feedback_shows_no_hidden_line_and_no_seed(graded, exercises):
    pages = list((graded.root / "feedback").rglob("*.html"))
    assert len(pages) == 2 * len(exercises) + 2
    for page in pages:
        content = page.read_text(encoding="utf-8")
        for word in ("HIDDEN", "hidden_inputs", "on_hidden_inputs", str(SEED)):
            assert word not in content, f"{page} shows {word}"


def test_the_seed_is_recorded_with_each_result(graded):
    cells = [c for c in graded.graded("half", "1_gpt2")["cells"] if grading(c).get("grade")]
    records = [cell["outputs"][0]["metadata"]["course"] for cell in cells]
    assert [r["seed"] for r in records] == [str(SEED)] * 4
    assert records[2]["exercise"] == "gpt_logits"


def test_validate_passes_the_solutions_and_not_the_release(graded):
    done = graded.nbgrader("validate", f"solutions/{LESSON}/5_causality.ipynb")
    assert "Success! Your notebook passes all the tests." in done.stdout
    done = graded.nbgrader("validate", f"exercises/{LESSON}/5_causality.ipynb")
    assert re.search(r"VALIDATION FAILED ON 3 CELL", done.stdout)  # two checks and the text
    assert "rows_that_change" in done.stdout


def test_the_formgrader_lists_the_assignment_and_its_submissions(graded):
    config = Config()
    config.CourseDirectory.root = str(graded.root)
    config.CourseDirectory.source_directory = "solutions"
    config.CourseDirectory.release_directory = "exercises"
    api = NbGraderAPI(config=config)
    assignment = api.get_assignment(LESSON)
    assert assignment["max_score"] == 60
    assert assignment["num_submissions"] == 3
    assert len(api.get_notebooks(LESSON)) == 6
    students = {s["student"]: s for s in api.get_submissions(LESSON)}
    assert students["solutions"]["score"] == 55
    assert students["solutions"]["needs_manual_grade"]
    assert students["untouched"]["score"] == 0


def _without_mask():
    import numpy as np

    names = {"np": np}
    exec(MISTAKES["gpt_logits_answer"], names)
    return names["gpt_logits"]
