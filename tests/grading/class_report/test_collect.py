"""What the report counts, for a class in which everything happens."""

from __future__ import annotations

from course_lib.grading.class_report import collect
from course_lib.grading.result import CellScore, Remark
from tests.grading.class_report.conftest import MASK, SCALE, one, two
from tests.grading.marks.scratch_course import Got, ScratchCourse, cell, notebook


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
    assert [(r.student, r.notebook) for r in report.slowest] == [("ben", "two")]
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


# ------------------------------------------------------------ what is not there


def gone(name, look=True, *more):
    """A notebook without a file; an older judge said, too, that the file is empty."""
    cells = one(0).cells if name == "one" else two(0).cells
    said = Remark("missing_file", f"There is no {name}.ipynb.", look)
    return Got(cells, (said, Remark("empty_file", "The file is empty.", look), *more))


def test_who_has_an_empty_folder_has_handed_in_nothing_and_one_line(scratch):
    scratch.hand_in_all({
        "ada": {"one": one(4), "two": two(10)},
        "ben": {"one": gone("one"), "two": gone("two")},
    })  # fmt: skip
    report = collect(scratch.course, "hw")
    assert [s.person.id for s in report.students] == ["ada"]
    assert [p.id for p in report.absent] == ["ben"]
    assert [(r.student, r.text) for r in report.looks] == [
        ("ben", "Handed in none of 2 notebooks.")
    ]
    assert report.looks_count == 2
    assert report.totals == [14]


def test_the_judges_word_on_a_folder_without_notebooks_is_the_one_line(scratch):
    text = "None of the 2 notebooks was handed in; what is there could not be used: a.docx."
    whole = Remark("nothing_handed_in", text, True)
    scratch.hand_in("ben", {"one": gone("one", False, whole), "two": gone("two", False)})
    (row,) = collect(scratch.course, "hw").remarks
    assert (row.student, row.notebook, row.text, row.count) == ("ben", "", text, 2)


def test_a_missing_notebook_is_told_once_and_not_called_empty(scratch):
    scratch.hand_in("ben", {"one": one(4), "two": gone("two", False)})
    report = collect(scratch.course, "hw")
    assert report.looks == []
    assert report.absent == ()
    assert [r.text for r in report.in_part] == ["There is no two.ipynb."]


def test_points_given_by_hand_to_one_who_handed_in_nothing_count(scratch):
    got = gone("two")
    got.manual = {"g": 5}
    scratch.hand_in("ben", {"one": gone("one"), "two": got})
    report = collect(scratch.course, "hw")
    assert report.totals == [5]
    assert report.absent == ()


def test_several_remarks_on_a_submission_are_one_to_look_at(scratch):
    remarks = (Remark("conflict", "Both sides.", True), Remark("too_big", "Too long.", True))
    scratch.hand_in("ada", {"one": one(4, remarks=remarks), "two": two(1)})
    report = collect(scratch.course, "hw")
    assert [(r.notebook, r.text) for r in report.looks] == [("one", "Both sides. Too long.")]
    assert report.looks_count == 1


def test_errors_in_answers_are_counted_by_their_type(scratch):
    def broken(reason):
        return {"one": Got([CellScore("f", "code", 0.0, 4, "failed", reason)]), "two": two(1)}

    scratch.hand_in_all({
        "ada": broken("Your code raised SyntaxError: '(' was never closed (line 2 of your f: x()"),
        "ben": broken("Your code raised SyntaxError: invalid syntax"),
        "cid": broken("Your code raised ModuleNotFoundError: No module named 'nump'"),
        "dan": broken("This test did not pass: assert f(1) == 1"),
    })  # fmt: skip
    rows = [(m.title, m.students) for m in collect(scratch.course, "hw").mistakes]
    assert rows == [
        ("SyntaxError in the answer", ("ada", "ben")),
        ("ModuleNotFoundError in the answer", ("cid",)),
    ]


def test_only_what_took_long_is_slow(scratch):
    many = {f"s{n}": {"one": one(4, cpu=0.07), "two": two(1, cpu=0.4)} for n in range(9)}
    scratch.hand_in_all(many | {"zoe": {"one": one(4, cpu=0.9), "two": two(1, cpu=2.5)}})
    rows = [(r.student, r.notebook) for r in collect(scratch.course, "hw").slowest]
    assert rows == [("zoe", "two")]
