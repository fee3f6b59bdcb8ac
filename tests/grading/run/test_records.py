"""What a run writes into the gradebook and into autograded/."""

from __future__ import annotations

import json
import os
import stat

import pytest
from scratch_course import ASSIGNMENT, cell, source_notebook

RIGHT, HALF, WRONG = "answer = 42", "answer = 21", "answer = 1"


def test_each_cell_gets_the_judges_points(course, run):
    course.submit("ann", {"p1": RIGHT, "p2": HALF})
    course.submit("bob", {"p1": WRONG, "p2": RIGHT})
    run(course)
    grades = course.grades()
    assert grades["ann", "p1", "check"] == (4, None, 0)
    assert grades["ann", "p2", "check"] == (2, None, 0)
    assert grades["bob", "p1", "check"] == (0, None, 0)
    assert grades["bob", "p2", "check"] == (4, None, 0)


def test_words_and_tasks_wait_for_a_person(course, run):
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course)
    assert course.grades()["ann", "p1", "why"] == (None, None, 1)
    assert course.grades()["ann", "p1", "drawing"] == (None, None, 1)


def test_an_untouched_answer_is_commented_as_nbgrader_does(course, run):
    course.submit("ann", {"p1": "# YOUR CODE HERE\nraise NotImplementedError()", "p2": RIGHT})
    course.submit("bob", {"p1": RIGHT, "p2": RIGHT}, why="YOUR ANSWER HERE")
    run(course)
    comments = course.comments()
    assert comments["ann", "p1", "answer"] == "No response."
    assert comments["ann", "p2", "answer"] is None
    assert comments["bob", "p1", "why"] == "No response."
    assert course.grades()["bob", "p1", "why"] == (0, None, 0)


def test_a_graders_points_are_kept_and_shown_for_review(course, run):
    course.submit("ann", {"p1": WRONG, "p2": RIGHT})
    run(course)
    course.sql("UPDATE grade SET manual_score = 3, needs_manual_grade = 0")
    course.submit("ann", {"p1": RIGHT})
    run(course)
    assert course.grades()["ann", "p1", "check"] == (4, 3, 1)
    assert course.grades()["ann", "p1", "drawing"] == (None, 3, 0)  # nbgrader leaves tasks alone
    assert course.grades()["ann", "p2", "check"] == (4, 3, 0)  # unchanged, so not touched


def test_a_missing_notebook_is_zero_and_has_no_file(course, run):
    course.submit("ann", {"p1": RIGHT})
    summary = run(course)
    assert {cell: row for (_, name, cell), row in course.grades().items() if name == "p2"} == {
        "check": (0, None, 0),
        "why": (0, None, 0),
        "drawing": (0, None, 0),
    }
    assert not (course.autograded("ann") / "p2.ipynb").exists()
    assert summary.counts.graded == 2
    assert run(course).counts.skipped == 2


def test_a_notebook_taken_back_loses_its_file_and_its_points(course, run):
    folder = course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course)
    (folder / "p2.ipynb").unlink()
    run(course)
    assert course.grades()["ann", "p2", "check"] == (0, None, 0)
    assert not (course.autograded("ann") / "p2.ipynb").exists()


def test_an_unreadable_notebook_is_zero_and_flagged_until_it_can_be_read(course, run):
    folder = course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    (folder / "p1.ipynb").write_bytes(b"\0\0not a notebook")
    summary = run(course)
    assert (summary.counts.needs_look, summary.counts.refused) == (1, 1)
    assert course.grades()["ann", "p1", "check"] == (0, None, 0)
    assert course.notebooks()["ann", "p1"][2] == 1
    assert course.notebooks()["ann", "p2"][2] == 0
    course.submit("ann", {"p1": RIGHT})
    run(course)
    assert course.grades()["ann", "p1", "check"] == (4, None, 0)
    assert course.notebooks()["ann", "p1"][2] == 0


def test_a_flag_that_a_person_raised_stays(course, run):
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course)
    course.sql("UPDATE submitted_notebook SET flagged = 1")
    run(course, force=True)
    assert [row[2] for row in course.notebooks().values()] == [1, 1]


@pytest.mark.parametrize("zone", ["UTC", "+0000", ""])
def test_the_timestamp_is_recorded(course, run, zone):
    course.submit("ann", {"p1": RIGHT}, f"2026-03-01 10:00:00 {zone}".strip())
    run(course)
    assert course.notebooks()["ann", "p1"][0].startswith("2026-03-01 10:00:00")


@pytest.mark.parametrize(
    "text", ["soon", "99999999999999", "2026-03-01 25:61:00", "\0\0", "x" * 900]
)
def test_a_timestamp_that_is_none_is_told_and_stops_nobody(course, run, text):
    folder = course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    (folder / "timestamp.txt").write_text(text)
    course.submit("bob", {"p1": RIGHT, "p2": RIGHT})
    summary = run(course)
    assert summary.counts.graded == 4
    assert course.grades()["ann", "p1", "check"] == (4, None, 0)
    assert course.notebooks()["ann", "p1"][0] is None
    assert course.notebooks()["ann", "p1"][2] == 1


LATE = """
from nbgrader.plugins import LateSubmissionPlugin
class HourlyPenalty(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late / 3600
c.AssignLatePenalties.plugin_class = HourlyPenalty
"""


def test_the_configured_plugin_takes_points_off_what_is_late(make_course, run):
    course = make_course(more=LATE)
    course.submit("early", {"p1": RIGHT, "p2": RIGHT}, "2026-03-01 09:00:00 UTC")
    course.submit("late", {"p1": RIGHT, "p2": WRONG}, "2026-03-01 12:30:00 UTC")
    course.submit("excused", {"p1": RIGHT, "p2": RIGHT}, "2026-03-01 12:30:00 UTC")
    run(course)
    assert {row[1] for row in course.notebooks().values()} == {None}
    course.sql("UPDATE assignment SET duedate = '2026-03-01 10:00:00.000000'")
    course.sql(
        "UPDATE submitted_assignment SET extension = '1970-01-01 02:30:00.000000' "
        "WHERE student_id = 'excused'"
    )
    summary = run(course)  # nothing is graded again: only lateness is looked at
    assert summary.counts.skipped == 6
    penalties = {key: row[1] for key, row in course.notebooks().items()}
    assert penalties["early", "p1"] is None
    assert penalties["excused", "p1"] is None
    assert penalties["late", "p1"] == 2.5
    assert penalties["late", "p2"] == 0  # never more than the points
    course.submit("late", {}, "2026-03-01 11:00:00 UTC")
    assert run(course).counts.skipped == 6
    assert course.notebooks()["late", "p1"][:2] == ("2026-03-01 11:00:00.000000", 1.0)


def test_students_are_not_added_where_the_course_forbids_it(make_course, run):
    course = make_course(more="c.Autograde.create_student = False\n")
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    summary = run(course)
    assert summary.counts.failed == 2
    assert "nbgrader db student add" in summary.failures[0][2]
    assert course.grades() == {}


def test_files_beside_the_notebook_are_kept_and_the_instructors_win(course, run):
    folder = course.submit("ann", {"p1": RIGHT, "p2": RIGHT}, "2026-03-01 10:00:00 UTC")
    (folder / "data.csv").write_text("forged")
    (folder / "notes").mkdir()
    (folder / "notes" / "mine.txt").write_text("mine")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "x.txt").write_text("old")
    run(course)
    assert sorted(course.files()) == [
        f"ann/{ASSIGNMENT}/{name}"
        for name in ("data.csv", "notes/mine.txt", "p1.ipynb", "p2.ipynb", "timestamp.txt")
    ]
    assert (course.autograded("ann") / "data.csv").read_text() == "a,b\n1,2\n"
    (folder / "notes" / "mine.txt").unlink()
    (folder / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    run(course)
    assert not (course.autograded("ann") / "notes").exists()
    assert "03-02" in (course.autograded("ann") / "timestamp.txt").read_text()


def test_files_have_the_permissions_that_nbgrader_gives(course, make_course, run):
    for made, mode in (
        (course, 0o444),
        (make_course(more="c.Autograde.permissions = 640\n"), 0o640),
    ):
        made.submit("ann", {"p1": RIGHT, "p2": RIGHT})
        run(made)
        for path in made.autograded("ann").iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == mode


def test_links_lead_nowhere(course, run, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    folder = course.submit("ann", {"p2": RIGHT})
    bob = course.submit("bob", {"p1": RIGHT, "p2": RIGHT})
    (folder / "p1.ipynb").symlink_to(bob / "p1.ipynb")
    (folder / "loot.txt").symlink_to(secret)
    (folder / "timestamp.txt").symlink_to(secret)
    (folder / "all").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.txt")
    run(course)
    assert all(b"secret" not in content for content in course.files().values())
    assert {name for name in course.files() if name.startswith("ann")} == {
        f"ann/{ASSIGNMENT}/data.csv",
        f"ann/{ASSIGNMENT}/p2.ipynb",
    }
    assert course.grades()["ann", "p1", "check"] == (0, None, 0)
    assert course.notebooks()["ann", "p1"][2] == 1


def test_a_link_in_autograded_is_replaced_and_not_followed(course, run, tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("untouched")
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    course.autograded("ann").mkdir(parents=True)
    (course.autograded("ann") / "p1.ipynb").symlink_to(victim)
    (course.autograded("ann") / "p2.ipynb").mkdir()
    run(course)
    assert victim.read_text() == "untouched"
    for name in ("p1", "p2"):
        path = course.autograded("ann") / f"{name}.ipynb"
        assert not path.is_symlink()
        assert json.loads(path.read_text())["cells"]


def test_the_ledger_has_the_result_without_the_notebook(course, run):
    course.submit("ann", {"p1": HALF, "p2": RIGHT})
    run(course)
    result = json.loads(course.ledger()["ann", "p1"][4])
    assert result["notebook"] == {}
    (check, *_) = result["cells"]
    assert (check["grade_id"], check["score"], check["status"]) == ("check", 2, "partial")


def test_a_job_that_fails_stops_no_other_and_is_tried_again(course, run):
    course.submit("ann", {"p1": "RAISE", "p2": RIGHT})
    course.submit("bob", {"p1": RIGHT, "p2": RIGHT})
    summary = run(course)
    assert (summary.counts.graded, summary.counts.failed) == (3, 1)
    assert summary.failures == [("ann", "p1", "ValueError: the stand-in was asked to fail")]
    again = run(course)
    assert (again.counts.skipped, again.counts.failed) == (3, 1)


def test_a_failure_keeps_the_grade_of_the_run_before(course, run):
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course)
    course.submit("ann", {"p1": "RAISE"})
    run(course)
    assert course.grades()["ann", "p1", "check"] == (4, None, 0)


def test_when_everything_fails_the_run_stops_and_says_why(course, run):
    from course_lib.grading.run import CourseError

    for number in range(20):
        course.submit(f"s{number}", {"p1": "RAISE", "p2": "RAISE"})
    with pytest.raises(CourseError, match=r"in a row could not be graded.*asked to fail"):
        run(course)


def test_a_cell_without_points_of_its_own_and_empty_notebooks_do_no_harm(make_course, run):
    course = make_course(notebooks=("p1",))
    plain = source_notebook() | {"cells": [cell("setup", "import math")]}
    course.write_source("reading", plain)
    course.submit("ann", {"p1": RIGHT, "reading": ""})
    assert run(course).counts.graded == 2
    assert run(course).counts.skipped == 2
