"""The judge gives every cell of honest submissions the score that stock nbgrader gives.

`stock_*.json` holds what stock gave (`python -m tests.grading.same_grades` records it again).
"""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from course_lib.grading.calibrate import calibrate
from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from course_lib.grading.settings import Settings
from course_lib.grading.template import LIVE_TAG, Delimiters, read_template
from tests.grading.same_grades import corpus
from tests.grading.same_grades.courses import COURSES, PS1, TEXTS, nbgrader, plain, run

WARNING = "a warning costs nothing: stock takes all points of a test for any text on stderr"
CLASS = "a class where a function is asked for: only its calls would cross"
DIFFERENT = {
    ("warns/problem1", "correct_squares"): WARNING,
    ("warns/problem1", "correct_sum_of_squares"): WARNING,
    ("warnings_in_the_answer/intro", "standardise_test"): WARNING,
    ("warnings_in_the_answer/intro", "standardise_hidden"): WARNING,
    ("warnings_in_the_answer/intro", "logarithms_test"): WARNING,
    ("types_that_fit/intro", "counter_test"): CLASS,
}
NEED_LIVE = (
    "report_test", "account_test", "apply_test", "dice_test", "evens_test", "picture_test",
)  # fmt: skip
LOOK_BACK = ("matrix_test", "sorting_test")
PLUGIN = """
from course_lib.grading.nbgrader_plugin import configure
configure(c)
"""
DATA = (("temperatures.csv", (corpus.HERE / "temperatures.csv").read_bytes()),)


def sources() -> dict[str, tuple[corpus.Notebook, tuple[tuple[str, bytes], ...]]]:
    """Return the instructor's notebooks as they are graded, with the files beside them."""
    import nbgrader

    folder = next(iter(nbgrader.__path__)) + "/docs/source/user_guide/source"
    header = _read(f"{folder}/header.ipynb")["cells"]
    found = {}
    for name in PS1:
        notebook = _read(f"{folder}/ps1/{name}.ipynb")
        notebook["cells"] = header + notebook["cells"]
        found[name] = notebook, ()
    return {**found, "intro": (tagged(corpus.intro_notebook()), DATA)}


def _read(path: str) -> corpus.Notebook:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - a package's file
        return json.load(file)


def tagged(notebook: corpus.Notebook) -> corpus.Notebook:
    """Give the tests that need live objects the tag for it."""
    for cell in notebook["cells"]:
        if corpus.grade_id(cell) in NEED_LIVE:
            cell["metadata"]["tags"] = [LIVE_TAG]
    return notebook


def released(source: corpus.Notebook) -> corpus.Notebook:
    """Return what students get."""
    notebook = json.loads(corpus.dump(source))
    for cell in read_template(source).cells:
        notebook["cells"][cell.index]["source"] = cell.public
    return notebook


def recorded(course: str) -> dict[str, dict[str, list]]:
    record = json.loads((corpus.HERE / f"stock_{course}.json").read_text())
    assert record["digest"] == corpus.digest(*TEXTS[course]), (
        f"the submissions have changed: python -m tests.grading.same_grades {course}"
    )
    return record["grades"]


def judged(name: str) -> dict[str, dict[str, float | None]]:
    """Grade all submissions for a notebook."""
    source, data = sources()[name]
    content = corpus.dump(source).encode()
    modes = calibrate(content, Settings(), Delimiters(), data).modes
    submissions = corpus.read_submissions(name)
    if name in PS1:  # who wrote nothing for one notebook handed it in as it was
        submissions |= {
            s: [] for n in PS1 for s in corpus.read_submissions(n) if s not in submissions
        }

    def grade(student: str) -> dict[str, float | None]:
        handed_in = corpus.dump(corpus.hand_in(released(source), submissions[student]))
        result = grade_job(Job(content, handed_in.encode(), data=data, modes=modes))
        return {cell.grade_id: cell.score for cell in result.cells}

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(submissions, pool.map(grade, submissions), strict=True))


@pytest.mark.parametrize(
    ("course", "name"), [("quickstart", "problem1"), ("quickstart", "problem2"), ("intro", "intro")]
)
def test_every_cell_has_the_score_that_stock_gives(course, name):
    stock = recorded(course)
    found = judged(name)
    different = set()
    for student, scores in found.items():
        who = f"{student}/{name}"
        expected = {cell: score for cell, (score, _) in stock[who].items()}
        assert scores.keys() == expected.keys()
        different |= {(who, cell) for cell in scores if scores[cell] != expected[cell]}
    assert different == {key for key in DIFFERENT if key[0].endswith(f"/{name}")}


def test_an_instructor_is_told_which_cells_need_which_tag():
    content = corpus.dump(corpus.intro_notebook()).encode()
    told = calibrate(content, Settings(), Delimiters(), DATA)
    assert told.modes == ()  # those that need it have it by themselves
    for name in LOOK_BACK:
        assert any(f"The test {name} looks again" in note for note in told.notes)
    assert len(told.problems) == len(NEED_LIVE)
    for name, problem in zip(NEED_LIVE, told.problems, strict=True):
        assert f"The test {name} gives" in problem
        assert "With the cell tag judge-live it earns full marks" in problem
        assert "can read the cell's hidden lines" not in problem  # these have none


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["quickstart", "intro"])
def test_gradebooks_of_stock_and_of_the_run_are_alike(name, tmp_path):
    some = {
        "quickstart": ("helper_in_own_cell", "magics", "manual_only", "off_by_one", "untouched"),
        "intro": ("half_right", "types_that_do_not_fit", "untouched"),
    }[name]
    record = recorded(name)
    course = COURSES[name](tmp_path / name)
    if name == "intro":
        file = course.root / "source" / course.assignment / "intro.ipynb"
        file.write_text(corpus.dump(tagged(corpus.intro_notebook())), encoding="utf-8")
    course.release()
    course.hand_in(some)
    done = nbgrader(course.root, "autograde", course.assignment)
    assert done.returncode == 0, done.stderr
    stock = plain(course.grades())
    assert stock == {who: record[who] for who in stock}
    assert {who.partition("/")[0] for who in stock} == set(some)

    shutil.rmtree(course.root / "autograded")
    (course.root / "gradebook.db").unlink()
    done = run(course.root, "-m", "course_lib.grading", "autograde", course.assignment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert plain(course.grades()) == stock

    shutil.rmtree(course.root / "autograded")
    (course.root / "gradebook.db").unlink()
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(PLUGIN)
    course.release()
    done = nbgrader(course.root, "autograde", course.assignment)
    assert done.returncode == 0, done.stderr
    assert "landlock" in next((course.root / "autograded").rglob("*.ipynb")).read_text()
    assert plain(course.grades()) == stock
