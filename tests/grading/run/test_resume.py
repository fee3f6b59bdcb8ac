"""A second run grades what changed, and nothing else."""

from __future__ import annotations

import json
import os

import pytest
from scratch_course import ASSIGNMENT, source_notebook
from stand_in_judge import judge

RIGHT, WRONG = "answer = 42", "answer = 1"


@pytest.fixture
def graded(course, run):
    for student in ("ann", "bob", "cid"):
        course.submit(student, {"p1": RIGHT, "p2": WRONG}, "2026-03-01 10:00:00 UTC")
    assert run(course).counts.graded == 6
    return course


def outcome(summary):
    return summary.counts.graded, summary.counts.skipped


def test_nothing_changed_nothing_graded(graded, run):
    before = graded.state()
    assert outcome(run(graded)) == (0, 6)
    assert graded.state() == before


def test_force_grades_everything(graded, run):
    before = graded.state()
    assert outcome(run(graded, force=True)) == (6, 0)
    assert graded.state() == before


def test_a_new_student_and_a_new_answer(graded, run):
    graded.submit("dora", {"p1": RIGHT, "p2": RIGHT})
    graded.submit("bob", {"p2": RIGHT})
    assert outcome(run(graded)) == (3, 5)
    assert graded.grades()["bob", "p2", "check"] == (4, None, 0)


def test_a_changed_test_regrades_its_notebook_only(graded, run):
    notebook = source_notebook()
    notebook["cells"][2]["source"] += "\nassert answer % 2 == 0"
    graded.write_source("p1", notebook)
    assert outcome(run(graded)) == (3, 3)


def test_a_changed_data_file_regrades_all(graded, run):
    (graded.root / "solutions" / ASSIGNMENT / "data.csv").write_text("a,b\n3,4\n")
    assert outcome(run(graded)) == (6, 0)
    assert b"3,4" in graded.files()[f"ann/{ASSIGNMENT}/data.csv"]


def test_changed_settings_regrade_all(graded, run):
    with (graded.root / "nbgrader_config.py").open("a") as file:
        file.write("c.Judge.cpu_seconds = 3\n")
    assert outcome(run(graded)) == (6, 0)


def test_a_changed_judge_regrades_all(graded, run, monkeypatch):
    from course_lib.grading.run import plan

    monkeypatch.setattr(plan, "judge_version", lambda: "another")
    assert outcome(run(graded)) == (6, 0)


def test_another_hidden_seed_regrades_all(graded, run, monkeypatch):
    monkeypatch.setenv("COURSE_HIDDEN_SEED", "20251")
    seen = []

    def watched(job):
        seen.append(job.settings.environment["COURSE_HIDDEN_SEED"])
        return judge(job)

    assert outcome(run(graded, grade=watched)) == (6, 0)
    assert set(seen) == {"20251"}


def test_what_the_tests_depend_on_counts_as_the_tests(make_course, run):
    course = make_course(more="c.Judge.depends_on = ['tools', 'rule.json']\n")
    (course.root / "tools").mkdir()
    (course.root / "tools" / "check.py").write_text("x = 1")
    (course.root / "rule.json").write_text("{}")
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    assert outcome(run(course)) == (2, 0)
    assert outcome(run(course)) == (0, 2)
    (course.root / "tools" / "check.py").write_text("x = 2")
    assert outcome(run(course)) == (2, 0)
    (course.root / "rule.json").write_text("[]")
    assert outcome(run(course)) == (2, 0)
    (course.root / "tools" / "__pycache__").mkdir()
    (course.root / "tools" / "__pycache__" / "check.pyc").write_text("")
    assert outcome(run(course)) == (0, 2)


@pytest.mark.parametrize("damage", ["removed", "truncated", "edited"])
def test_a_graded_file_that_is_not_as_written_is_graded_again(graded, run, damage):
    before = graded.files()
    path = graded.autograded("bob") / "p1.ipynb"
    path.chmod(0o644)
    if damage == "removed":
        path.unlink()
    else:
        path.write_text("" if damage == "truncated" else path.read_text() + " ")
    assert outcome(run(graded)) == (1, 5)
    assert graded.files() == before


def test_a_changed_file_beside_a_graded_notebook_is_put_right(graded, run):
    before = graded.files()
    for name in ("data.csv", "timestamp.txt"):
        (graded.autograded("bob") / name).unlink()
    assert outcome(run(graded)) == (0, 6)
    assert graded.files() == before


@pytest.mark.parametrize(
    ("statement", "again"),
    [
        ("UPDATE grade SET auto_score = 99 WHERE auto_score = 0", 3),
        ("DELETE FROM grade", 6),
        ("DELETE FROM judge_ledger WHERE student = 'ann'", 2),
    ],
)
def test_grades_that_are_not_as_written_are_graded_again(graded, run, statement, again):
    before = graded.grades()
    graded.sql(statement)
    assert outcome(run(graded)) == (again, 6 - again)
    assert graded.grades() == before


def test_a_submission_removed_from_the_gradebook_comes_back(graded, run):
    from nbgrader.api import Gradebook

    before = graded.grades()
    with Gradebook(f"sqlite:///{graded.root / 'gradebook.db'}") as gradebook:
        gradebook.remove_submission(ASSIGNMENT, "bob")
    assert outcome(run(graded)) == (2, 4)
    assert graded.grades() == before


def test_manual_points_and_a_later_comment_do_not_cause_grading(graded, run):
    graded.sql("UPDATE grade SET manual_score = 1, extra_credit = 1, needs_manual_grade = 0")
    graded.sql("UPDATE comment SET manual_comment = 'well done'")
    assert outcome(run(graded)) == (0, 6)


def test_a_touched_but_equal_submission_is_not_graded(graded, run):
    for path in (graded.root / "submitted").rglob("*"):
        os.utime(path)
    assert outcome(run(graded)) == (0, 6)


def test_only_some_students_and_notebooks(graded, run):
    for student in ("ann", "bob"):
        graded.submit(student, {"p1": "answer = 21", "p2": "answer = 21"})
    assert outcome(run(graded, students=("ann", "cid"), notebook="p2")) == (1, 1)
    assert outcome(run(graded)) == (3, 3)


def test_each_student_has_a_seed_of_their_own_and_keeps_it(graded, run):
    def seeds():
        return {
            name: json.loads(content)["metadata"]["judge"]["seed"]
            for name, content in graded.files().items()
            if name.endswith(".ipynb")
        }

    first = seeds()
    assert len(set(first.values())) == 6
    run(graded, force=True)
    assert seeds() == first


def test_another_course_draws_other_seeds(course, make_course, run):
    other = make_course()
    for each in (course, other):
        each.submit("ann", {"p1": RIGHT, "p2": RIGHT})
        run(each)
    assert (
        course.files()[f"ann/{ASSIGNMENT}/p1.ipynb"] != other.files()[f"ann/{ASSIGNMENT}/p1.ipynb"]
    )


def test_the_secret_is_the_owners_alone_and_made_once(graded, run):
    path = graded.root / ".judge_secret"
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    assert len(text.strip()) == 64
    run(graded)
    assert path.read_text() == text
    assert not list(graded.root.glob(".judge_secret.*"))


def test_a_broken_secret_is_told_and_not_replaced(graded, run):
    from course_lib.grading.run import CourseError

    (graded.root / ".judge_secret").write_text("")
    with pytest.raises(CourseError, match="judge_secret must hold at least 32 characters, found 0"):
        run(graded)


@pytest.mark.parametrize("table", ["judge_ledger", "judge_source"])
def test_a_table_of_another_version_is_made_anew(graded, run, capfd, table):
    graded.sql("UPDATE grade SET manual_score = 1.5 WHERE auto_score IS NULL")
    graded.sql(f"DROP TABLE {table}")
    graded.sql(f"CREATE TABLE {table} (assignment VARCHAR(128) PRIMARY KEY, digest TEXT)")
    graded.sql(f"INSERT INTO {table} VALUES (?, 'old')", ASSIGNMENT)
    before = graded.grades()
    counts = run(graded).counts
    said = capfd.readouterr().err
    anew = table == "judge_ledger"
    assert (counts.graded > 0, counts.skipped > 0) == (anew, not anew)
    assert ("from another version of the judge: everything is graded again" in said) == anew
    after = graded.grades()
    assert {key: row[:2] for key, row in after.items()} == {k: r[:2] for k, r in before.items()}
    assert 1.5 in {row[1] for row in after.values()}
    again = run(graded).counts
    assert again.graded == 0
