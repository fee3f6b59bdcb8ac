"""The gradebook and the files are those that stock nbgrader leaves; nbgrader goes on from them."""

from __future__ import annotations

import csv
import json

import pytest
from scratch_course import ASSIGNMENT, ScratchCourse
from test_prepare import nbgrader
from traitlets.config import Config

RIGHT, WRONG, UNTOUCHED = (
    "answer = 42",
    "answer = 1",
    "# YOUR CODE HERE\nraise NotImplementedError()",
)
pytestmark = pytest.mark.slow

LATE = "c.LateSubmissionPlugin.penalty_method = 'zero'\n"


def hand_in(course: ScratchCourse) -> None:
    course.submit("ann", {"p1": RIGHT, "p2": WRONG}, "2026-03-01 10:00:00 UTC")
    course.submit(
        "bob", {"p1": UNTOUCHED, "p2": RIGHT}, "2026-03-03 10:00:00 UTC", "YOUR ANSWER HERE"
    )
    course.submit("cid", {"p1": RIGHT})
    (course.submitted("ann") / "notes").mkdir()
    (course.submitted("ann") / "notes" / "mine.txt").write_text("mine")
    (course.submitted("ann") / "data.csv").write_text("forged")


def grade_by_hand(course: ScratchCourse) -> None:
    course.sql(
        "UPDATE grade SET manual_score = 1.5, needs_manual_grade = 0 WHERE cell_id IN "
        "(SELECT id FROM base_cell WHERE name IN ('why', 'drawing'))"
    )


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Two courses with the same history: ours by the run, the other by stock nbgrader."""
    from conftest import graded_here

    pair = []
    for name in ("ours", "theirs"):
        course = ScratchCourse(tmp_path_factory.mktemp(name) / "course", more=LATE)
        assert nbgrader(course, "generate_assignment", ASSIGNMENT).returncode == 0
        course.sql("UPDATE assignment SET duedate = '2026-03-02 10:00:00.000000'")
        hand_in(course)
        pair.append(course)
    ours, theirs = pair
    graded_here(ours)
    done = nbgrader(theirs, "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    first = ours.grades(), theirs.grades()
    for course in pair:
        grade_by_hand(course)
        course.submit("bob", {"p1": WRONG}, "2026-03-03 10:00:00 UTC", "I changed my mind.")
    graded_here(ours, force=True)
    done = nbgrader(theirs, "autograde", ASSIGNMENT, "--force")
    assert done.returncode == 0, done.stdout
    return ours, theirs, first


def test_the_same_grades(both):
    ours, theirs, (first_ours, first_theirs) = both
    assert first_ours == first_theirs
    assert ours.grades() == theirs.grades()


def test_the_same_comments_timestamps_and_late_penalties(both):
    ours, theirs, _ = both
    assert ours.comments() == theirs.comments()
    without_flags = [
        {key: row[:2] for key, row in course.notebooks().items()} for course in (ours, theirs)
    ]
    assert without_flags[0] == without_flags[1]


def test_the_same_files(both):
    ours, theirs, _ = both
    assert sorted(ours.files()) == sorted(theirs.files())
    for name, content in ours.files().items():
        place = ours.root / "autograded" / name, theirs.root / "autograded" / name
        assert place[0].stat().st_mode == place[1].stat().st_mode
        if not name.endswith(".ipynb"):
            assert content == theirs.files()[name]


def test_nbgrader_upgrades_the_database_with_our_tables_in_it(both):
    ours, _, _ = both
    ledger = ours.ledger()
    for _ in range(2):
        done = nbgrader(ours, "db", "upgrade")
        assert done.returncode == 0, done.stdout
    assert ours.ledger() == ledger


def test_nbgrader_exports_the_same(both):
    ours, theirs, _ = both
    tables = []
    for course in (ours, theirs):
        done = nbgrader(course, "export", "--to", "grades.csv")
        assert done.returncode == 0, done.stdout
        with (course.root / "grades.csv").open(newline="") as file:
            rows = [dict(row) for row in csv.DictReader(file)]  # in the order of their grading
            tables.append(sorted(rows, key=lambda row: row["student_id"]))
    assert tables[0] == tables[1]


def test_the_formgrader_lists_the_submissions_and_their_scores(both):
    from nbgrader.apps import NbGraderAPI

    ours, theirs, _ = both
    listed = []
    for course in (ours, theirs):
        config = Config()
        config.CourseDirectory.root = str(course.root)
        config.CourseDirectory.course_id = "scratch"
        config.CourseDirectory.source_directory = "solutions"
        config.CourseDirectory.release_directory = "exercises"
        api = NbGraderAPI(config=config)
        submissions = api.get_submissions(ASSIGNMENT)
        notebooks = api.get_notebook_submissions(ASSIGNMENT, "p1")
        for entry in (*submissions, *notebooks):
            entry.pop("id")
        listed.append((sorted(submissions, key=lambda s: s["student"]), notebooks))
    keys = ("student", "timestamp", "autograded", "submitted", "max_score", "display_timestamp")
    assert [[s[k] for k in keys] for s in listed[0][0]] == [
        [s[k] for k in keys] for s in listed[1][0]
    ]
    assert len(listed[0][1]) == len(listed[1][1]) == 3


def test_nbgrader_writes_feedback_from_our_files(both):
    ours, _, _ = both
    done = nbgrader(ours, "generate_feedback", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    page = (ours.root / "feedback" / "ann" / ASSIGNMENT / "p1.html").read_text()
    assert "4.0 / 4.0" in page


def test_removing_a_submission_with_nbgrader_leaves_the_rest_alone(both):
    ours, _, _ = both
    done = nbgrader(ours, "db", "student", "remove", "cid", "--force")
    assert done.returncode == 0, done.stdout
    assert {key[0] for key in ours.grades()} == {"ann", "bob"}


def test_the_graded_notebook_is_valid(both):
    import nbformat

    ours, _, _ = both
    content = ours.files()[f"ann/{ASSIGNMENT}/p1.ipynb"]
    notebook = nbformat.reads(content.decode(), as_version=4)
    nbformat.validate(notebook)
    assert json.loads(content) == json.loads(nbformat.writes(notebook, split_lines=False))
