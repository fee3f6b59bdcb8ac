"""Folders that students hand in to stop a run: each costs at most its own student's notebooks."""

from __future__ import annotations

import os

import pytest
from scratch_course import ASSIGNMENT
from test_plugin import PLUGIN
from test_prepare import nbgrader

from course_lib.grading.run import handed_in, open_course
from course_lib.grading.run.graded_files import GradedFolder
from course_lib.grading.run.plain_files import look_at_files, remove

RIGHT = "answer = 42"


@pytest.fixture
def handed(course):
    """A course where three students handed in everything rightly."""
    for student in ("ann", "bob", "mallory"):
        course.submit(student, {"p1": RIGHT, "p2": RIGHT})
    return course


@pytest.fixture
def make_deep():
    """Make folders 1,100 deep with a file at the bottom; the names stay short enough."""
    made = []

    def make(folder):
        made.append(folder)
        here = os.open(folder, os.O_RDONLY)
        for _ in range(1100):
            os.mkdir("a", dir_fd=here)
            below = os.open("a", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        os.close(here)

    yield make
    for folder in made:  # older Pythons cannot remove it themselves
        remove(folder)


def outcome(summary):
    counts = summary.counts
    return counts.graded, counts.skipped, counts.failed


def remarks(course, student, notebook="p1"):
    return course.ledger()[student, notebook][4]


def test_deep_folders_are_not_looked_into_and_that_is_told(handed, run, make_deep):
    make_deep(handed.submitted("mallory"))
    (handed.submitted("mallory") / "b" / "c").mkdir(parents=True)
    (handed.submitted("mallory") / "b" / "c" / "kept.txt").write_text("x")
    assert outcome(run(handed)) == (6, 0, 0)
    assert outcome(run(handed)) == (0, 6, 0)
    assert "Folders more than 32 deep were not looked into" in remarks(handed, "mallory")
    assert "32 deep" not in remarks(handed, "ann")
    assert f"mallory/{ASSIGNMENT}/b/c/kept.txt" in handed.files()


def test_deep_folders_among_the_graded_files_are_cleared(handed, run, make_deep):
    folder = handed.autograded("mallory")
    folder.mkdir(parents=True)
    make_deep(folder)
    assert outcome(run(handed)) == (6, 0, 0)
    assert not (folder / "a").exists()


def test_listing_stops_at_the_limit_and_names_what_it_left(tmp_path):
    parts = [f"d{number}" for number in range(40)]
    (tmp_path.joinpath(*parts)).mkdir(parents=True)
    for depth in (0, 32, 33):
        tmp_path.joinpath(*parts[:depth], "f").write_text("x")
    listed = look_at_files(tmp_path)
    assert listed.names == ["/".join([*parts[:32], "f"]), "f"]
    assert listed.too_deep == ["/".join(parts[:33])]
    assert look_at_files(tmp_path, ["d32"]).too_deep == []


@pytest.mark.parametrize("where", ["submitted", "autograded"])
def test_a_folder_called_as_a_draft_is_no_hindrance(handed, run, where):
    place = getattr(handed, where)("mallory")
    for name in ("p1", "p2", "data.csv"):
        draft = place / f".{name}{'' if '.' in name else '.ipynb'}.judging"
        draft.mkdir(parents=True)
        (draft / "z").write_text("x")
    (place / ".notes.judging").write_text("x")
    assert outcome(run(handed)) == (6, 0, 0)
    assert not [name for name in handed.files() if "judging" in name]
    assert outcome(run(handed)) == (0, 6, 0)


def test_drafts_made_while_the_run_goes_on_are_no_hindrance(tmp_path):
    graded = GradedFolder(tmp_path)
    (tmp_path / ".p1.ipynb.judging" / "deeper").mkdir(parents=True)
    (tmp_path / "p1.ipynb" / "deeper").mkdir(parents=True)
    assert graded.digest("p1") == ""
    digest = graded.write_notebook("p1", {"cells": []})
    assert graded.digest("p1") == digest
    graded.remove_notebook("p1")
    assert not list(tmp_path.iterdir())


def test_a_students_file_takes_no_place_of_the_instructors_or_of_a_notebook(handed, run):
    data = handed.root / "solutions" / ASSIGNMENT / "more"
    data.mkdir()
    (data / "x.csv").write_text("1")
    folder = handed.submitted("mallory")
    (folder / "data.csv").mkdir()
    (folder / "data.csv" / "x").write_text("mine")
    (folder / "more").write_text("mine")
    assert outcome(run(handed)) == (6, 0, 0)
    files = handed.files()
    assert files[f"mallory/{ASSIGNMENT}/data.csv"] == b"a,b\n1,2\n"
    assert files[f"mallory/{ASSIGNMENT}/more/x.csv"] == b"1"
    assert outcome(run(handed)) == (0, 6, 0)


@pytest.mark.parametrize("error", [RuntimeError("odd\nbytes"), RecursionError(), MemoryError()])
def test_whatever_looking_into_a_folder_raises_costs_that_student_alone(
    handed, run, monkeypatch, error
):
    usual = handed_in.find_notebooks

    def find(folder, *rest):
        if "mallory" in folder.parts:
            raise error
        return usual(folder, *rest)

    monkeypatch.setattr(handed_in, "find_notebooks", find)
    summary = run(handed)
    assert outcome(summary) == (6, 0, 0)
    assert [look[:2] for look in summary.looks] == [("mallory", "p1"), ("mallory", "p2")]
    assert "What was handed in could not be looked into: " in summary.looks[0][2]
    assert "\n" not in summary.looks[0][2]
    assert handed.grades()["ann", "p1", "check"][0] == 4
    assert handed.grades()["mallory", "p1", "check"][0] == 0


@pytest.mark.parametrize("what", ["read_timestamp", "read_marks", "look_at_files", "read_bytes"])
def test_what_one_part_of_looking_raises_costs_that_part(handed, run, monkeypatch, what):
    usual = getattr(handed_in, what)

    def looked(path, *rest, **options):
        if "mallory" in path.parts:
            raise RuntimeError("odd")
        return usual(path, *rest, **options)

    monkeypatch.setattr(handed_in, what, looked)
    summary = run(handed)
    assert outcome(summary) == (6, 0, 0)
    assert {look[0] for look in summary.looks} == {"mallory"}
    points = 0 if what == "read_bytes" else 4
    assert handed.grades()["mallory", "p2", "check"][0] == points


def test_what_cannot_be_put_beside_fails_one_student_and_is_tried_again(handed, run, monkeypatch):
    usual = GradedFolder.put_beside

    def put_beside(self, place, *rest):
        if "bob" in place.parts:
            raise ValueError("odd")
        usual(self, place, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(GradedFolder, "put_beside", put_beside)
        summary = run(handed)
    assert outcome(summary) == (4, 0, 2)
    assert summary.failures == [("bob", name, "ValueError: odd") for name in ("p1", "p2")]
    assert outcome(run(handed)) == (2, 4, 0)


def test_one_students_failures_stop_no_run(make_course, run):
    names = tuple(f"p{number}" for number in range(1, 9))
    course = make_course(notebooks=names)
    course.submit("mallory", dict.fromkeys(names, "RAISE"))
    course.submit("zoe", dict.fromkeys(names, RIGHT))
    assert outcome(run(course, jobs=1)) == (8, 0, 8)


def test_folders_whose_names_could_act_in_a_page_stop_no_run_and_reach_no_gradebook(course, run):
    bad = ["<img src=x onerror=alert(1)>", '"><b>', "a&b", "back\\slash", "line\nend", "</script>"]
    names = [name for name in bad if "/" not in name]
    for name in [*names, "zoe", "o'brien", "Ågot Müller"]:
        course.submit(name, {"p1": RIGHT, "p2": RIGHT})
    summary = run(course)
    assert outcome(summary) == (6, 0, 2 * len(names))
    assert {student for student, _, _ in summary.failures} == set(names)
    assert all("rename it" in why for _, _, why in summary.failures)
    assert {student for student, _ in course.ledger()} == {"zoe", "o'brien", "Ågot Müller"}


def test_nbgraders_own_autograde_goes_on_past_such_folders(make_course, make_deep):
    pytest.importorskip("nh3")
    course = make_course(notebooks=("p1",), more=PLUGIN)
    for student in ("ann", "deep", "mallory", "zoe"):
        course.submit(student, {"p1": RIGHT})
    make_deep(course.submitted("deep"))  # nbgrader itself walks it, and older Pythons cannot
    folder = course.submitted("mallory")
    (folder / ".p1.ipynb.judging" / "a").mkdir(parents=True)
    (folder / ".p1.ipynb.judging" / "a" / "z").write_text("x")
    folder.joinpath(*"b" * 40).mkdir(parents=True)
    folder.joinpath(*"b" * 40, "z").write_text("x")
    (folder / "b" / "kept.txt").write_text("x")
    for _ in range(2):
        nbgrader(course, "autograde", ASSIGNMENT, "--force")
        points = {key[0]: row[0] for key, row in course.grades().items() if key[2] == "check"}
        assert {"ann": 4, "mallory": 4, "zoe": 4}.items() <= points.items()
        place = course.autograded("mallory")
        found = {str(p.relative_to(place)) for p in place.rglob("*") if p.is_file()}
        assert found == {"p1.ipynb", "data.csv", "b/kept.txt"}


def test_files_beside_the_notebooks_are_kept_up_to_nbgraders_limits(make_course, run):
    limits = "c.CourseDirectory.max_file_size = 20\nc.CourseDirectory.max_dir_size = 50\n"
    course = make_course(more=limits)
    folder = course.submit("ann", {"p1": "answer = 42", "p2": "answer = 42"})
    for name, kilobytes in {"a": 15, "b": 21, "c": 22, "d": 19, "e": 18, "f": 10}.items():
        (folder / name).write_bytes(bytes(kilobytes * 1000))
    run(course)
    kept = {path.name for path in course.autograded("ann").iterdir()}
    assert {"a", "d", "f"} <= kept
    assert not {"b", "c", "e"} & kept
    remarks = handed_in.look_into(open_course(course.root), folder, {}).remarks
    said = {remark.kind: remark.text for remark in remarks}
    assert said["large_file"] == "b is larger than 20 kB and was not kept, nor were 1 more."
    assert said["large_folder"].endswith("larger than 50 kB: not kept were 1, as e.")


def test_more_files_than_anybody_needs_are_not_all_looked_at(make_course, run, monkeypatch):
    monkeypatch.setattr(handed_in, "MOST_FILES", 50)
    course = make_course()
    folder = course.submit("ann", {"p1": "answer = 42", "p2": "answer = 42"})
    (folder / "more").mkdir()
    for number in range(200):
        (folder / "more" / str(number)).touch()
    assert outcome(run(course)) == (2, 0, 0)
    assert not (course.autograded("ann") / "more").exists()
