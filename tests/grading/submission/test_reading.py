"""Reading a submission: which text is whose answer, and where the student's own cells go."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from course_lib.grading.submission import ExtraCell, read_submission
from course_lib.grading.template import Delimiters, Template, read_template
from tests.grading.mangled import ANSWERS, good_bytes, good_notebook, instructor_notebook, template

ROOT = Path(__file__).parents[3]
LESSONS = sorted(path.name for path in (ROOT / "solutions" / "lesson-14").glob("*.ipynb"))
STUBS = Delimiters(code_stub="# your answer here", text_stub="*Your answer here.*")
TEMPLATE = template()


def lesson(name: str) -> tuple[Template, dict[str, Any]]:
    notebook = json.loads((ROOT / "solutions" / "lesson-14" / name).read_text("utf-8"))
    return read_template(notebook, STUBS), notebook


def read(notebook: Any, against: Template = TEMPLATE):
    return read_submission(json.dumps(notebook).encode(), against)


def position(cell_id: str) -> int:
    ids = [cell["id"] for cell in instructor_notebook()["cells"]]
    return ids.index(cell_id)


def own(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": source}


# ---------------------------------------------------------------- the lessons of this course


@pytest.mark.parametrize("name", LESSONS)
def test_a_released_notebook_is_unchanged_and_nothing_is_odd(name: str):
    against, _ = lesson(name)
    data = (ROOT / "exercises" / "lesson-14" / name).read_bytes()

    submission = read_submission(data, against)

    answered = [cell.grade_id for cell in against.cells if cell.answered]
    assert list(submission.answers) == answered
    assert not any(answer.changed for answer in submission.answers.values())
    assert submission.extra == submission.remarks == ()


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("lost", ["nothing", "nbgrader", "everything"])
def test_the_instructors_answers_are_read_whatever_metadata_are_lost(name: str, lost: str):
    against, notebook = lesson(name)
    for cell in notebook["cells"]:
        if lost != "nothing":
            cell["metadata"] = {}
        if lost == "everything":
            del cell["id"]

    submission = read(notebook, against)

    for cell in against.cells:
        if cell.answered:
            answer = submission.answers[cell.grade_id]
            assert (answer.source, answer.changed) == (cell.source, True)
            assert answer.cell_type == cell.cell_type
    assert submission.extra == ()


@pytest.mark.parametrize("name", LESSONS)
def test_nothing_is_recognised_in_the_notebook_of_another_exercise(name: str):
    against, _ = lesson(name)
    for other in set(LESSONS) - {name}:
        submission = read(lesson(other)[1], against)
        assert not submission.legible, other
        assert submission.answers == {}
        assert submission.extra == ()
        assert any(remark.needs_look for remark in submission.remarks)


# ---------------------------------------------------------------- how answers are found


def found_by(notebook: Any) -> dict[str, str]:
    return {name: answer.found_by for name, answer in read(notebook).answers.items()}


def test_it_is_told_how_each_answer_was_found():
    notebook = good_notebook()
    assert set(found_by(notebook).values()) == {"grade id"}
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        del cell["id"]
    names = dict.fromkeys(("area_answer", "roots_answer", "scaled_answer"), "name")
    assert found_by(notebook) == names | {"why": "position"}
    notebook["cells"][position("scaled-answer")]["source"] = TEMPLATE["scaled_answer"].public
    assert found_by(notebook)["scaled_answer"] == "text"


def test_the_last_of_several_answers_is_taken():
    notebook = good_notebook()
    cell = notebook["cells"][position("area-answer")]
    for number in range(3):
        twin = copy.deepcopy(cell) | {"source": f"def area(a, b):\n    return {number}"}
        notebook["cells"].append(twin)

    submission = read(notebook)

    assert submission.answers["area_answer"].source == "def area(a, b):\n    return 2"
    assert submission.extra == ()


def test_a_helper_that_an_earlier_copy_defines_runs_before_the_answer():
    notebook = good_notebook()
    place = position("area-answer")
    helper = copy.deepcopy(notebook["cells"][place]) | {"source": "def times(a, b): return a * b"}
    notebook["cells"].insert(place, helper)
    notebook["cells"][place + 1]["source"] = "def area(a, b):\n    return times(a, b)"

    submission = read(notebook)

    assert submission.extra == (ExtraCell("def times(a, b): return a * b", place - 1),)


def test_what_a_notebook_calls_an_answer_is_none_if_the_template_says_otherwise():
    notebook = good_notebook()
    test = notebook["cells"][position("area-test")]
    test["metadata"]["nbgrader"] |= {"grade": False, "solution": True, "locked": False}
    test["source"] = "area = lambda a, b: Anything()"

    submission = read(notebook)

    assert set(submission.answers) == set(ANSWERS)
    assert submission.answers["area_answer"].source == ANSWERS["area_answer"]
    assert submission.extra == ()


def test_hidden_tests_in_a_submission_never_run():
    notebook = instructor_notebook()
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        cell["id"] = "x"

    submission = read(notebook)

    assert submission.extra == ()
    assert not any("assert" in answer.source for answer in submission.answers.values())


# ---------------------------------------------------------------- where extra cells stand


def test_extra_cells_stand_behind_the_cell_that_they_stand_behind():
    notebook = good_notebook()
    notebook["cells"].insert(position("roots-answer"), own("second = 2"))
    notebook["cells"].insert(position("area-test") + 1, own("first = 1"))
    notebook["cells"].insert(0, own("zeroth = 0"))
    notebook["cells"].append(own("third = 3"))

    submission = read(notebook)

    assert submission.extra == (
        ExtraCell("zeroth = 0", -1),
        ExtraCell("first = 1", position("area-test")),
        ExtraCell("second = 2", position("roots-task")),
        ExtraCell("third = 3", position("end")),
    )


def test_an_edited_setup_cell_runs_behind_the_one_handed_out():
    notebook = good_notebook()
    notebook["cells"][position("setup")]["source"] = "import math\n\nSCALE = 4\nprint(math.pi)"
    assert read(notebook).extra[0].after == position("setup")
    notebook["cells"][position("setup")] = own("SCALE = 5")
    assert read(notebook).extra == (ExtraCell("SCALE = 5", position("setup")),)


@pytest.mark.parametrize("place", [0, position("area-test"), 15])
def test_an_answer_typed_elsewhere_runs_directly_behind_its_stub(place: int):
    notebook = good_notebook()
    notebook["cells"][position("area-answer")]["source"] = TEMPLATE["area_answer"].public
    notebook["cells"].insert(place, own(ANSWERS["area_answer"]))

    submission = read(notebook)

    assert submission.extra == (ExtraCell(ANSWERS["area_answer"], position("area-answer")),)
    answer = submission.answers["area_answer"]
    assert (answer.changed, answer.elsewhere) == (False, True)
    assert answer.source == TEMPLATE["area_answer"].public


def test_text_of_the_students_own_is_kept_for_display():
    notebook = good_notebook()
    note = {"cell_type": "markdown", "metadata": {}, "source": "*A note.*"}
    notebook["cells"].insert(position("roots-task"), note)
    assert read(notebook).extra == (ExtraCell("*A note.*", position("area-test"), "markdown"),)


# ---------------------------------------------------------------- remarks


def test_names_in_remarks_are_short_and_plain():
    notebook = good_notebook()
    for number, cell in enumerate(notebook["cells"]):
        name = f"\x1b[31m{number}" + "x" * 10_000
        cell["metadata"]["nbgrader"] = {"grade_id": name}
        cell["metadata"]["tags"] = [name]
    notebook["metadata"]["kernelspec"]["language"] = "\n<script>" * 1000

    remarks = read(notebook).remarks

    assert {"unknown_grade_id", "wrong_language"} <= {remark.kind for remark in remarks}
    assert all(remark.text.isprintable() and len(remark.text) < 700 for remark in remarks)


def test_the_same_bytes_give_the_same_submission():
    assert read_submission(good_bytes(), TEMPLATE) == read_submission(good_bytes(), TEMPLATE)


# ---------------------------------------------------------------- what is nobody's answer


def small(*cells: tuple[str, str, str]) -> tuple[Template, dict[str, Any]]:
    """Return a template and its notebook: of each cell its kind, its name and its text."""
    flags = {
        "setup": None,
        "text": None,
        "answer": {"solution": True},
        "test": {"grade": True, "locked": True, "points": 1},
        "essay": {"grade": True, "solution": True, "points": 1},
    }
    written = []
    for kind, name, source in cells:
        marks = flags[kind]
        written.append(
            {
                "cell_type": "markdown" if kind in ("text", "essay") else "code",
                "metadata": {"nbgrader": {"grade_id": name, **marks}} if marks else {},
                "source": source,
            }
        )
    notebook = {"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return read_template(copy.deepcopy(notebook)), notebook


MEAN = (
    ("setup", "", "LIMIT = 9"),
    ("text", "", "Write a function for the mean."),
    (
        "answer",
        "mean_answer",
        "import math\nLIMIT = 3\ndef total(x): return sum(x)\ndef mean(x): return total(x) / 2",
    ),
    (
        "test",
        "mean",
        "import statistics\nassert math.isclose(mean([1, 2]), statistics.mean([1, 2]))",
    ),
    ("text", "", "The end of the exercise."),
)


@pytest.mark.parametrize(
    "source", ["def total(x): return 1", "LIMIT = 4", "import math", "math = None"]
)
def test_a_name_that_no_test_asks_for_makes_no_answer(source: str):
    against, notebook = small(*MEAN)
    del notebook["cells"][2]
    notebook["cells"].append(own(source))

    submission = read(notebook, against)

    assert submission.answers == {}
    assert submission.extra == (ExtraCell(source, 4),)


def test_an_import_that_a_test_makes_too_is_the_students_own():
    against, notebook = small(*MEAN)
    notebook["cells"].insert(1, own("import statistics"))
    assert read(notebook, against).extra == (ExtraCell("import statistics", 0),)


def test_an_answer_below_lines_of_a_test_is_an_answer():
    against, notebook = small(*MEAN)
    test = notebook["cells"][3]["source"]
    del notebook["cells"][2]
    notebook["cells"].insert(3, own(f"{test}\ndef mean(x): return 1.5"))

    answer = read(notebook, against).answers["mean_answer"]

    assert (answer.found_by, answer.changed) == ("name", True)


def test_of_two_equal_stubs_the_untouched_one_keeps_its_place():
    against, notebook = small(
        ("text", "", "First question"),
        ("essay", "first", "One."),
        ("text", "", "Second question"),
        ("essay", "second", "Two."),
        ("text", "", "The end"),
    )
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    notebook["cells"][1]["source"] = "An answer."
    notebook["cells"][3]["source"] = "YOUR ANSWER HERE"

    answers = read(notebook, against).answers

    assert (answers["first"].source, answers["first"].changed) == ("An answer.", True)
    assert (answers["second"].found_by, answers["second"].changed) == ("text", False)


def test_a_number_of_10_000_digits_costs_no_metadata():
    against, notebook = small(*MEAN)
    notebook["cells"][2]["metadata"]["nbgrader"]["points"] = "@"
    data = json.dumps(notebook).replace('"@"', "9" * 10_000).encode()
    assert read_submission(data, against).answers["mean_answer"].found_by == "grade id"


def test_a_line_of_signs_outside_a_merge_is_text():
    against, _ = small(*MEAN)
    heading = '"""\nMean\n=======\n"""'
    conflict = "<<<<<<< HEAD\n    return 1\n=======\n    return 2\n>>>>>>> theirs\n"

    submission = read_submission(f"{heading}\n\ndef mean(x):\n{conflict}".encode(), against)

    assert submission.answers["mean_answer"].source == "def mean(x):\n    return 1"
    assert submission.extra == (ExtraCell(heading, 0),)
