"""What the report counts, for a class in which everything happens."""

from __future__ import annotations

from course_lib.grading.class_report import collect
from tests.grading.class_report.conftest import MASK, SCALE, one, two
from tests.grading.marks.scratch_course import ScratchCourse, cell, notebook


def by_id(report):
    return {row.exercise.grade_id: row for row in report.exercises}


def test_who_handed_in_and_who_did_not(classroom):
    report = collect(classroom.course, "hw")
    assert [s.person.id for s in report.students] == ["=fay", "ada", "ben", "cid", "dan", "eve"]
    assert [p.id for p in report.absent] == ["yan", "zoe"]


def test_totals_are_the_gradebooks_after_penalties(classroom):
    report = collect(classroom.course, "hw")
    totals = {s.person.id: s.total for s in report.students}
    assert totals == {"=fay": 11.5, "ada": 20, "ben": 6, "cid": 1, "dan": 0, "eve": 5}


def test_points_by_exercise(classroom):
    f = by_id(collect(classroom.course, "hw"))["f"]
    assert (f.count, f.mean, f.median) == (6, 1.5, 1)
    assert (f.full, f.zero, f.unanswered, f.limits, f.waiting) == (1, 2, 1, 1, 0)


def test_a_notebook_that_was_not_handed_in_is_not_an_answer_of_zero_points(classroom):
    g = by_id(collect(classroom.course, "hw"))["g"]
    assert (g.count, g.mean, g.zero, g.unanswered) == (5, 6, 1, 0)


def test_what_a_person_graded_counts_and_the_rest_waits(classroom):
    why = by_id(collect(classroom.course, "hw"))["why"]
    assert (why.count, why.mean, why.full, why.waiting) == (6, 6, 1, 5)
    assert why.item_total is None


def test_mistakes_are_counted_among_those_who_answered(classroom):
    report = collect(classroom.course, "hw")
    rows = [(m.exercise.grade_id, m.id, m.title, m.students, m.of) for m in report.mistakes]
    assert rows == [
        ("f", "no_scale", SCALE.title, ("=fay", "ben"), 5),
        ("f", "no_mask", MASK.title, ("ben", "cid"), 5),
    ]


def test_who_needs_a_look_and_why(classroom):
    report = collect(classroom.course, "hw")
    looks = {(r.student, r.notebook, r.kind) for r in report.looks}
    assert looks == {
        ("cid", "one", "duplicated_cell"),
        ("cid", "two", "missing_file"),
        ("gus", "", "not_graded"),
    }


def test_late_ones_slow_ones_and_limits(classroom):
    report = collect(classroom.course, "hw")
    assert [(s.person.id, s.seconds_late, s.late_penalty) for s in report.late] == [
        ("=fay", 26 * 3600, 1.5)
    ]
    assert [(r.student, r.notebook) for r in report.slowest[:2]] == [("ben", "two"), ("ada", "one")]
    assert [(c.student, c.limit) for c in report.at_limits] == [("dan", "cpu time")]


def test_a_mistake_made_in_two_cells_is_one_student(scratch):
    scratch.hand_in("ada", {"one": one(1, MASK, MASK), "two": two(1)})
    (row,) = collect(scratch.course, "hw").mistakes
    assert row.students == ("ada",)


def test_one_student_alone(scratch):
    scratch.hand_in("ada", {"one": one(4), "two": two(10)})
    report = collect(scratch.course, "hw")
    assert report.totals == [14]
    assert [(row.mean, row.item_total, row.upper_lower) for row in report.exercises] == [
        (4, None, None), (None, None, None), (10, None, None),
    ]  # fmt: skip


def test_nobody(scratch):
    report = collect(scratch.course, "hw")
    assert report.students == ()
    assert [row.count for row in report.exercises] == [0, 0, 0]


def test_all_alike(scratch):
    scratch.hand_in_all({f"s{n}": {"one": one(2), "two": two(5)} for n in range(12)})
    assert {(r.item_total, r.upper_lower) for r in collect(scratch.course, "hw").exercises} == {
        (None, None)
    }


def test_an_exercise_that_the_strong_get_right_discriminates(scratch):
    scratch.hand_in_all({f"s{n}": {"one": one(4 * (n > 9)), "two": two(n / 2)} for n in range(20)})
    rows = by_id(collect(scratch.course, "hw"))
    assert rows["f"].upper_lower == 1
    assert 0.8 < rows["f"].item_total < 0.95


def test_an_assignment_graded_by_hand_alone(tmp_path):
    source = {"essay": notebook(cell("written", "why", "why", 6))}
    scratch = ScratchCourse(tmp_path, "hw", source)
    got = one(0)
    got.cells = got.cells[1:]
    scratch.hand_in_all({f"s{n}": {"essay": got} for n in range(7)})
    (row,) = collect(scratch.course, "hw").exercises
    scratch.close()
    assert (row.count, row.waiting, row.mean, row.full, row.zero) == (7, 7, None, 0, 0)


def test_a_course_without_the_judge_has_points_all_the_same(classroom):
    from sqlalchemy import text

    classroom.gradebook.db.execute(text("DROP TABLE judge_ledger"))
    classroom.gradebook.db.commit()
    folder = classroom.root / "autograded/ada/hw"
    folder.mkdir(parents=True)
    (folder / "one.ipynb").write_text("{}")
    report = collect(classroom.course, "hw")
    rows = by_id(report)
    assert (rows["f"].count, rows["f"].mean) == (1, 4)  # whose file is there
    assert (rows["g"].count, rows["g"].mean) == (0, None)
    assert report.mistakes == report.slowest == ()
