"""What the instructor's and the students' notebooks hold."""

import ast
import re
import subprocess
import sys

import pytest

from course_lib.assignment.questions import QUESTIONS
from course_lib.checks import exercises as names_of_functions
from course_lib.checks import max_score
from course_lib.checks.exercises import EXERCISES as PARTS

from .conftest import ROOT, grading, load, source

SOLUTIONS, EXERCISES = load("solutions"), load("exercises")
TESTS = {
    grading(cell)["grade_id"]: cell
    for notebook in SOLUTIONS.values()
    for cell in notebook["cells"]
    if grading(cell).get("grade") and cell["cell_type"] == "code"
}
BY_HAND = {"width_depth_why": 3, "causality_why": 2}


def graded_cells(notebooks):
    return [c for n in notebooks.values() for c in n["cells"] if grading(c).get("grade")]


def test_every_exercise_of_the_checks_is_graded_in_some_notebook():
    assert set(TESTS) == set(names_of_functions()) | set(QUESTIONS)


@pytest.mark.parametrize("name", names_of_functions())
def test_a_function_is_worth_what_its_checks_give(name):
    assert grading(TESTS[name])["points"] == max_score(name)


@pytest.mark.parametrize("name", QUESTIONS)
def test_short_answers_are_worth_what_their_question_gives(name):
    assert grading(TESTS[name])["points"] == QUESTIONS[name].max_score


def test_sixty_points_five_of_them_by_hand():
    points = {grading(c)["grade_id"]: grading(c)["points"] for c in graded_cells(SOLUTIONS)}
    assert {name: points[name] for name in BY_HAND} == BY_HAND
    assert sum(points.values()) == 60


@pytest.mark.parametrize("name", EXERCISES)
def test_the_table_at_the_top_adds_up_to_the_points_of_the_cells(name):
    rows = re.findall(
        r"^\|[^|]+\| ([\d.]+) \| ●", source(EXERCISES[name]["cells"][0]), re.MULTILINE
    )
    points = sum(grading(c)["points"] for c in EXERCISES[name]["cells"] if grading(c).get("grade"))
    assert sum(map(float, rows)) == points


@pytest.mark.parametrize("name", EXERCISES)
def test_each_task_has_ratings_what_counts_and_three_folded_hints(name):
    texts = [source(c) for c in EXERCISES[name]["cells"] if c["cell_type"] == "markdown"]
    tasks = [text for text in texts if "**What counts.**" in text]
    assert tasks
    for task in tasks:
        assert re.search(
            r"\*[\d.]+ points? · difficulty [●○]{5} · importance [●○]{5} · about", task
        )
        hints = texts[texts.index(task) + 1]
        assert re.findall(r"<summary>Hint (\d)", hints) == ["1", "2", "3"]
        assert hints.count("<details>") == hints.count("</details>") == 3
        assert "open" not in re.findall(r"<details[^>]*>", hints)[0]


@pytest.mark.parametrize("name", EXERCISES)
def test_the_points_named_in_a_statement_are_those_of_the_parts(name):
    cells = EXERCISES[name]["cells"]
    tasks = [i for i, c in enumerate(cells) if "**What counts.**" in source(c)]
    for start, end in zip(tasks, [*tasks[1:], len(cells)], strict=True):
        tests = [grading(c)["grade_id"] for c in cells[start:end] if grading(c).get("grade")]
        if len(tests) == 1 and tests[0] in PARTS:
            told = source(cells[start]).partition("**What counts.**")[2]
            points = sorted(map(float, re.findall(r"\(([\d.]+)(?: points?)?\)", told)))
            assert points == sorted(part.points for part in PARTS[tests[0]].parts), tests


@pytest.mark.parametrize("side", ["solutions", "exercises"])
def test_notebooks_in_git_are_clean(side):
    for name, notebook in load(side).items():
        ids = [cell["id"] for cell in notebook["cells"]]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[a-z0-9-]+", i) for i in ids), f"{name}: ids that say nothing"
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == []
                assert cell["execution_count"] is None


def test_exercises_hold_no_marker_and_no_hidden_line():
    for notebook in EXERCISES.values():
        text = "\n".join(source(cell) for cell in notebook["cells"])
        for word in ("SOLUTION", "HIDDEN", "hidden_inputs", "NotImplementedError"):
            assert word not in text


def test_an_untouched_answer_is_valid_code_with_one_place_to_write():
    for notebook in EXERCISES.values():
        for cell in notebook["cells"]:
            if grading(cell).get("solution") and cell["cell_type"] == "code":
                assert source(cell).count("# your answer here") == 1
                ast.parse(source(cell))


def test_students_keep_the_names_and_docstrings():
    for name in names_of_functions():
        cell = next(
            c for n in EXERCISES.values() for c in n["cells"]
            if grading(c).get("grade_id") == f"{name}_answer"
        )  # fmt: skip
        (function,) = ast.parse(source(cell)).body
        assert function.name == name
        assert ast.get_docstring(function)


def test_answers_of_the_instructor_use_nothing_of_the_course():
    for notebook in SOLUTIONS.values():
        for cell in notebook["cells"]:
            if grading(cell).get("solution"):
                assert "course_lib" not in source(cell)


@pytest.mark.slow
def test_exercises_are_what_the_solutions_give():
    done = subprocess.run(
        [sys.executable, "scripts/release_exercises.py", "--check"],
        cwd=ROOT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
