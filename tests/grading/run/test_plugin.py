"""`nbgrader autograde` and the formgrader's button, with the plug-in in the configuration."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT, source_notebook
from test_prepare import nbgrader

HERE = Path(__file__).parent
RIGHT, HALF, WRONG = "answer = 42", "answer = 21", "answer = 1"

PLUGIN = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import course_lib.grading.grade
from stand_in_judge import judge
if "pytest" not in sys.modules:  # the tests' own process keeps its judge
    sys.modules["course_lib.grading.grade"].grade_job = judge
from course_lib.grading.nbgrader_plugin import configure
configure(c)
c.LateSubmissionPlugin.penalty_method = "zero"
"""
pytest.importorskip("nh3")


@pytest.fixture
def plugged(make_course):
    return make_course(more=PLUGIN)


def hand_in(course):
    course.submit("ann", {"p1": RIGHT, "p2": HALF}, "2026-03-01 10:00:00 UTC")
    course.submit("bob", {"p1": WRONG, "p2": RIGHT}, "2026-03-03 10:00:00 UTC", "YOUR ANSWER HERE")
    (course.submitted("ann") / "notes").mkdir()
    (course.submitted("ann") / "notes" / "mine.txt").write_text("mine")
    (course.submitted("bob") / "data.csv").write_text("forged")
    course.sql("UPDATE assignment SET duedate = '2026-03-02 10:00:00.000000'")


def test_the_same_as_make_autograde(plugged, make_course, run):
    other = make_course(more=PLUGIN)
    for course in (plugged, other):
        (course.root / ".judge_secret").write_text("0" * 64)
        hand_in(course)
    run(other)
    done = nbgrader(plugged, "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    ours, theirs = other.state(), plugged.state()
    assert ours == theirs
    assert ours["grades"]["ann", "p2", "check"] == (2, None, 0)
    assert ours["notebooks"]["bob", "p2"][1] == 4
    assert run(plugged).counts.skipped == 4  # what nbgrader did need not be done again


def test_odd_submissions_stop_no_other(plugged):
    hand_in(plugged)
    plugged.submit("cid", {"p1": RIGHT, "p2": RIGHT}, "the day before yesterday")
    (plugged.submitted("cid") / "p1.ipynb").write_bytes(b"{")
    plugged.submit("dora", {"p1": RIGHT, "p2": RIGHT})
    folder = plugged.submitted("dora")
    (folder / "p1.ipynb").rename(folder / "P1 (1).ipynb")
    (folder / "inner").mkdir()
    (folder / "p2.ipynb").rename(folder / "inner" / "p2.ipynb")
    plugged.submit("egon", {"p1": RIGHT})
    plugged.submitted("fay").mkdir(parents=True)
    (plugged.submitted("fay") / "essay.docx").write_bytes(b"PK")
    done = nbgrader(plugged, "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    points = {key[:2]: row[0] for key, row in plugged.grades().items() if key[2] == "check"}
    assert points == {
        ("ann", "p1"): 4, ("ann", "p2"): 2, ("bob", "p1"): 0, ("bob", "p2"): 4,
        ("cid", "p1"): 0, ("cid", "p2"): 4, ("dora", "p1"): 4, ("dora", "p2"): 4,
        ("egon", "p1"): 4, ("egon", "p2"): 0, ("fay", "p1"): 0, ("fay", "p2"): 0,
    }  # fmt: skip
    flagged = {key for key, row in plugged.notebooks().items() if row[2]}
    assert {("cid", "p1"), ("fay", "p1")} <= flagged
    assert not {("ann", "p1"), ("bob", "p1")} & flagged


def test_nothing_is_copied_through_links(plugged, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    hand_in(plugged)
    folder = plugged.submitted("ann")
    (folder / "loot [1].txt").symlink_to(secret)
    (folder / "notes" / "deeper.txt").symlink_to(secret)
    (folder / "all").symlink_to(tmp_path)
    (folder / "broken").symlink_to("/nonexistent")
    (folder / "p1.ipynb").unlink()
    (folder / "p1.ipynb").symlink_to(plugged.submitted("bob") / "p2.ipynb")
    os.mkfifo(folder / "pipe")
    done = nbgrader(plugged, "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    assert {name for name in plugged.files() if name.startswith("ann")} == {
        f"ann/{ASSIGNMENT}/{name}"
        for name in ("data.csv", "notes/mine.txt", "p2.ipynb", "timestamp.txt")
    }
    assert plugged.grades()["ann", "p1", "check"][0] == 0


def test_a_file_beyond_the_size_limit_is_not_copied(make_course):
    course = make_course(more=PLUGIN + "c.CourseDirectory.max_file_size = 10\n")
    hand_in(course)
    (course.submitted("ann") / "big.bin").write_bytes(b"\0" * 10_001)
    (course.submitted("ann") / "small.bin").write_bytes(b"\0" * 10_000)
    done = nbgrader(course, "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    assert f"ann/{ASSIGNMENT}/small.bin" in course.files()
    assert f"ann/{ASSIGNMENT}/big.bin" not in course.files()


def test_one_student_one_notebook_and_force(plugged):
    hand_in(plugged)
    done = nbgrader(plugged, "autograde", ASSIGNMENT, "--student", "ann", "--notebook", "p1")
    assert done.returncode == 0, done.stdout
    assert set(plugged.ledger()) == {("ann", "p1")}
    assert nbgrader(plugged, "autograde", ASSIGNMENT).returncode == 0
    plugged.submit("bob", {"p1": RIGHT})
    assert nbgrader(plugged, "autograde", ASSIGNMENT).returncode == 0
    assert plugged.grades()["bob", "p1", "check"][0] == 0  # nbgrader skips what it has
    assert nbgrader(plugged, "autograde", ASSIGNMENT, "--force").returncode == 0
    assert plugged.grades()["bob", "p1", "check"][0] == 4


def test_the_courses_own_hook_still_runs(make_course):
    course = make_course(
        more=PLUGIN
        + """
def hook(assignment, student, notebooks):
    with open("hook.log", "a") as file:
        file.write(f"{assignment}:{len(notebooks)} ")
c.BaseConverter.pre_convert_hook = hook
"""
    )
    hand_in(course)
    done = nbgrader(course, "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    assert (course.root / "hook.log").read_text() == f"{ASSIGNMENT}:2 {ASSIGNMENT}:2 "


def test_a_source_whose_own_answers_fail_stops_it_with_the_reason(plugged):
    hand_in(plugged)
    notebook = source_notebook()
    notebook["cells"][1]["source"] = "### BEGIN SOLUTION\nanswer = 21\n### END SOLUTION"
    plugged.write_source("p2", notebook)
    done = nbgrader(plugged, "autograde", ASSIGNMENT)
    assert done.returncode == 1
    assert "p2: The test check gives the instructor's own answers 2 of 4" in done.stdout
    assert plugged.grades() == {}


def test_the_formgraders_button(plugged):
    import subprocess
    import sys

    hand_in(plugged)
    script = f"""
from nbgrader.apps.baseapp import NbGrader
from nbgrader.apps import NbGraderAPI
app = NbGrader()
app.initialize([], root={str(plugged.root)!r})
api = NbGraderAPI(app.coursedir, parent=app)
for student in ("ann", "bob", "ann"):
    result = api.autograde({ASSIGNMENT!r}, student)
    assert result["success"], result
(done,) = [s for s in api.get_submissions({ASSIGNMENT!r}) if s["student"] == "bob"]
assert done["autograded"] and done["score"] == 4, done
"""
    path = os.pathsep.join([str(HERE.parents[2]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=plugged.root, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ) | {"PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert plugged.grades()["ann", "p1", "check"][0] == 4


def test_feedback_uses_the_judges_preprocessors(plugged):
    hand_in(plugged)
    assert nbgrader(plugged, "autograde", ASSIGNMENT).returncode == 0
    done = nbgrader(plugged, "generate_feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    pages = list((plugged.root / "feedback").rglob("*.html"))
    assert len(pages) == 4
    for page in pages:
        assert "think of the question" not in page.read_text()


def test_a_killed_nbgrader_autograde_is_put_right_by_the_next_run(plugged, make_course, run):
    other = make_course(more=PLUGIN)
    for course in (plugged, other):
        (course.root / ".judge_secret").write_text("0" * 64)
        hand_in(course)
    run(other)
    assert nbgrader(plugged, "autograde", ASSIGNMENT, "--student", "ann").returncode == 0
    # What nbgrader leaves when it dies between recording a notebook and writing its file.
    (plugged.autograded("ann") / "p2.ipynb").unlink()
    shutil.rmtree(plugged.autograded("ann") / "notes")
    run(plugged)
    assert plugged.state() == other.state()
