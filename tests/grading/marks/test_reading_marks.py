"""The gradebook counts: a person's points, extra credit, penalties and comments come through."""

from __future__ import annotations

from datetime import timedelta

import pytest

from course_lib.grading.marks import Course, CourseError, open_course, read_marks
from course_lib.grading.result import CellScore, Mistake, Remark
from tests.grading.marks.scratch_course import Got, ScratchCourse, cell, notebook

SOURCE = {
    "two": notebook(
        cell("answer", "f = 1", "f_answer"),
        cell("test", "assert f", "zeta", 4),
        cell("written", "why", "alpha", 6),
    ),
    "one": notebook(cell("task", "draw", "drawing", 3)),
}


def scores(zeta: float) -> list[CellScore]:
    return [
        CellScore("zeta", "code", zeta, 4, "partial", mistakes=(Mistake("m", "A mistake"),)),
        CellScore("alpha", "markdown", None, 6, "manual"),
    ]


@pytest.fixture
def scratch(tmp_path):
    made = ScratchCourse(tmp_path, "hw", SOURCE)
    yield made
    made.close()


def test_a_persons_points_come_before_the_judges(scratch):
    scratch.hand_in(
        "ada",
        {"two": Got(scores(1), manual={"zeta": 3, "alpha": 5}, extra={"zeta": 0.5}, penalty=2)},
        late=timedelta(hours=3),
    )
    marks = read_marks(scratch.course, "hw")
    submission = marks.submissions["ada"]
    two = submission.notebooks["two"]
    assert {name: m.score for name, m in two.marks.items()} == {"zeta": 3.5, "alpha": 5}
    assert (two.raw_score, two.late_penalty, two.score, two.max_score) == (8.5, 2, 6.5, 10)
    assert submission.score == 6.5
    assert submission.seconds_late == 3 * 3600


def test_what_waits_for_a_person_says_so_and_counts_nothing(scratch):
    scratch.hand_in("ada", {"two": Got(scores(1))})
    two = read_marks(scratch.course, "hw").submissions["ada"].notebooks["two"]
    assert [m.grade_id for m in two.marks.values() if m.waiting] == ["alpha"]
    assert two.score == 1


def test_a_penalty_never_makes_a_total_negative(scratch):
    scratch.hand_in("ada", {"two": Got(scores(1), penalty=5)})
    submission = read_marks(scratch.course, "hw").submissions["ada"]
    assert submission.score == submission.notebooks["two"].score == 0


def test_exercises_stand_in_the_order_of_the_notebook(scratch):
    scratch.hand_in("ada", {"two": Got(scores(1))})
    marks = read_marks(scratch.course, "hw")
    assert [e.grade_id for e in marks.exercises] == ["drawing", "zeta", "alpha"]
    assert marks.max_score == 13


def test_comments_results_and_remarks_come_along(scratch):
    odd = Remark("moved_cell", "A cell was moved.", True)
    scratch.hand_in("ada", {"two": Got(scores(1), remarks=(odd,), comments={"f_answer": "neat"})})
    two = read_marks(scratch.course, "hw").submissions["ada"].notebooks["two"]
    assert dict(two.comments) == {"f_answer": "neat"}
    assert two.result is not None
    assert two.result.remarks == (odd,)
    assert two.result.cells[0].mistakes[0].title == "A mistake"


def test_a_course_graded_by_another_program_has_marks_and_no_results(scratch):
    from sqlalchemy import text

    scratch.hand_in("ada", {"two": Got(scores(1))})
    scratch.gradebook.db.execute(text("DROP TABLE judge_ledger"))
    scratch.gradebook.db.commit()
    two = read_marks(scratch.course, "hw").submissions["ada"].notebooks["two"]
    assert two.result is None
    assert two.score == 1


def test_a_result_of_another_version_of_the_judge_is_read(scratch):
    import json

    from sqlalchemy import text

    scratch.hand_in("ada", {"two": Got(scores(1))})
    db = scratch.gradebook.db
    plain = json.loads(db.execute(text("SELECT result FROM judge_ledger")).scalar())
    plain["not yet known"] = plain["cells"][0]["nor this"] = 1
    del plain["wall"], plain["cells"][0]["limit"]
    db.execute(text("UPDATE judge_ledger SET result = :r"), {"r": json.dumps(plain)})
    db.commit()
    two = read_marks(scratch.course, "hw").submissions["ada"].notebooks["two"]
    assert two.result is not None
    assert (two.result.wall, two.result.cells[0].limit, two.result.cells[0].score) == ("", "", 1)


def test_reading_changes_nothing(scratch, tmp_path):
    scratch.hand_in("ada", {"two": Got(scores(1))})
    before = (tmp_path / "gradebook.db").read_bytes()
    read_marks(scratch.course, "hw")
    assert (tmp_path / "gradebook.db").read_bytes() == before


def test_no_gradebook_yet_is_told_and_none_is_made(tmp_path):
    with pytest.raises(CourseError, match=r"no gradebook at .* run `autograde` first"):
        read_marks(Course(tmp_path, f"sqlite:///{tmp_path / 'gradebook.db'}"), "hw")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "a/b", "*", "h[w]"])
def test_an_assignment_that_cannot_be_a_folder_is_refused(scratch, name):
    with pytest.raises(CourseError, match="expected the name of a folder"):
        read_marks(scratch.course, name)


def test_an_unknown_assignment_is_told(scratch):
    with pytest.raises(CourseError, match="no assignment 'other'"):
        read_marks(scratch.course, "other")


@pytest.mark.parametrize("structure", [None, "{assignment_id}/{nbgrader_step}/{student_id}"])
def test_students_are_found_wherever_the_configuration_puts_them(tmp_path, structure):
    config = "c = get_config()\nc.CourseDirectory.course_id = 'c1'\n"
    config += "c.CourseDirectory.student_id_exclude = 'left,gone'\n"
    config += "c.ClearHiddenTests.begin_test_delimeter = 'VERBERGEN'\n"
    if structure:
        config += f"c.CourseDirectory.directory_structure = {structure!r}\n"
    (tmp_path / "nbgrader_config.py").write_text(config)
    course = open_course(tmp_path)  # not this folder's, though it has a configuration as well
    for student in ("ada", "b.o+b", "[x]", "gone"):
        course.folder("autograded", student, "hw").mkdir(parents=True)
    course.folder("autograded", "eve", "hw2").mkdir(parents=True)
    assert course.students("autograded", "hw") == ["[x]", "ada", "b.o+b"]
    assert course.course_id == "c1"
    assert course.delimiters.begin_hidden == "VERBERGEN"
    assert course.delimiters.end_hidden == "END HIDDEN TESTS"


def test_a_student_who_is_not_there_is_told(tmp_path):
    course = Course(tmp_path, "sqlite://")
    course.folder("autograded", "ada", "hw").mkdir(parents=True)
    assert course.chosen("autograded", "hw", ["ada"]) == ["ada"]
    with pytest.raises(CourseError, match=r"no folder .*bob"):
        course.chosen("autograded", "hw", ["bob"])
    with pytest.raises(CourseError, match=r"nothing in .*other"):
        course.chosen("autograded", "other")
