"""`nbgrader zip_collect` on archives as Canvas and Moodle make them, and on hostile ones."""

from __future__ import annotations

import io
import json
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT, ScratchCourse, source_notebook
from test_plugin import PLUGIN
from test_prepare import nbgrader

NOTEBOOK = json.dumps(source_notebook()).encode()


@pytest.fixture(scope="module")
def first(tmp_path_factory, released_gradebook):
    """A course with released notebooks and an empty place for archives."""
    course = ScratchCourse(tmp_path_factory.mktemp("zip") / "course", more=PLUGIN)
    shutil.copy(released_gradebook, course.root / "gradebook.db")
    shutil.copytree(course.root / "solutions", course.root / "exercises")
    return course


@pytest.fixture
def collect(first, tmp_path):
    """Put archives in place, collect, and return what lies in submitted/ and what was said."""
    root = tmp_path / "course"
    shutil.copytree(first.root, root)
    course = object.__new__(ScratchCourse)
    course.root = root

    def run(archives: dict[str, dict[str, bytes]], more: str = "") -> tuple[dict[str, bytes], str]:
        if more:
            with (root / "nbgrader_config.py").open("a") as file:
                file.write(more)
        folder = root / "downloaded" / ASSIGNMENT / "archive"
        folder.mkdir(parents=True)
        for name, members in archives.items():
            (folder / name).write_bytes(archive(members))
        done = nbgrader(course, "zip_collect", ASSIGNMENT)
        assert done.returncode == 0, done.stdout
        place = root / "submitted"
        found = {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}
        return found, done.stdout

    run.course = course
    return run


def archive(members: dict[str, bytes | zipfile.ZipInfo]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return data.getvalue()


def placed(*names: str) -> set[str]:
    return {name.replace("/", f"/{ASSIGNMENT}/", 1) for name in names}


def test_canvas(collect):
    names = (
        "doejane_4711_90001_p1.ipynb",
        "doejane_4711_90002_p2.ipynb",
        "o'briensean_LATE_4712_90003_p1.ipynb",
        "lisu-mei_4713_90004_p1-2.ipynb",  # handed in for the third time
        "müllerjörg2_4714_90005_p1 (1).ipynb",
        "anon_Ab3xZ_90006_p2.ipynb",
        "LATE_anon_Qq9_90007_p2.ipynb",
        "doejane_4711_90008_notes.pdf",
        "roejohn_4715_text.html",
    )
    found, _ = collect({"gpt-week-1 submissions.zip": dict.fromkeys(names, NOTEBOOK)})
    assert set(found) == placed(
        "4711/p1.ipynb", "4711/p2.ipynb", "4712/p1.ipynb", "4713/p1.ipynb", "4714/p1.ipynb",
        "anon_Ab3xZ/p2.ipynb", "anon_Qq9/p2.ipynb",
        "4712/lms_marks.json", "anon_Qq9/lms_marks.json",
    )  # fmt: skip


def test_canvas_several_attempts_the_newest_counts(collect):
    members = {
        "doejane_4711_90001_p1.ipynb": NOTEBOOK + b" ",
        "doejane_4711_100002_p1-1.ipynb": NOTEBOOK + b"  ",
        "doejane_4711_90003_p1-2.ipynb": NOTEBOOK + b"   ",
    }
    found, said = collect({"submissions.zip": members})
    assert found == {f"4711/{ASSIGNMENT}/p1.ipynb": NOTEBOOK + b"  "}
    assert said.count("Left out, there is a newer one") == 2


def test_canvas_an_archive_that_a_student_handed_in(collect):
    inner = archive({"homework/p1.ipynb": NOTEBOOK, "homework/p2.ipynb": NOTEBOOK})
    members = {"doejane_4711_90001_homework.zip": inner, "roejohn_4712_90002_p1.ipynb": NOTEBOOK}
    found, said = collect({"submissions.zip": members})
    assert set(found) == placed("4711/p1.ipynb", "4711/p2.ipynb", "4712/p1.ipynb")
    assert "homework" not in said
    assert "3 notebooks of 2 students" in said


def test_a_class_is_told_in_a_few_lines_and_who_handed_in_no_notebook_by_id(collect):
    members = {f"name{n}_{n}_{n}_p1.ipynb": NOTEBOOK for n in range(1, 60)}
    members |= {"doejane_4711_90001_essay.pdf": b"%PDF", "name5_5_99_notes.txt": b"",
                "mine.ipynb": NOTEBOOK}  # fmt: skip
    found, said = collect({"submissions.zip": members})
    assert len(found) == 59
    assert "No notebook from: 4711 (essay.pdf)" in said
    assert "neither Canvas nor Moodle names files so: submissions/mine.ipynb" in said
    assert len(said.splitlines()) < 20, said


def test_a_renamed_notebook_keeps_its_name_and_the_run_knows_it(make_course, run):
    pytest.importorskip("nh3")
    course = make_course(more=PLUGIN)
    course.write_source("p2", {**source_notebook(), "cells": source_notebook()["cells"][:1]})
    shutil.copytree(course.root / "solutions", course.root / "exercises")
    folder = course.root / "downloaded" / ASSIGNMENT / "archive"
    folder.mkdir(parents=True)
    names = ("doejane_4711_90001_Exercise 1 final.ipynb", "doejane_4711_90002_p2.ipynb")
    (folder / "s.zip").write_bytes(archive(dict.fromkeys(names, NOTEBOOK)))
    done = nbgrader(course, "zip_collect", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    assert "nvalid" not in done.stdout
    assert (course.submitted("4711") / "Exercise 1 final.ipynb").exists()
    run(course)
    assert course.grades()["4711", "p1", "check"][0] == 4
    assert "by the grade ids in it" in course.ledger()["4711", "p1"][4]


def test_a_second_archive_is_collected_too_and_times_are_kept(collect):
    collect({"first.zip": {"a_1_1_p1.ipynb": NOTEBOOK, "b_2_2_p1.ipynb": NOTEBOOK}})
    root = collect.course.root
    for student, text in (("1", "2026-03-01 10:00:00 CET"), ("2", "yesterday")):
        (root / "submitted" / student / ASSIGNMENT / "timestamp.txt").write_text(text)
    folder = root / "downloaded" / ASSIGNMENT / "archive"
    newer = {"a_1_9_p1.ipynb": NOTEBOOK + b" ", "a_1_10_p2.ipynb": NOTEBOOK, "b_2_2_p1.ipynb": b"{"}
    (folder / "first.zip").write_bytes(archive(newer))
    done = nbgrader(collect.course, "zip_collect", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    place = root / "submitted" / "1" / ASSIGNMENT
    assert (place / "p1.ipynb").read_bytes() == NOTEBOOK + b" "
    assert (place / "timestamp.txt").read_text().startswith("2026-03-01 09:00:00")
    assert sorted(p.name for p in (root / "submitted" / "2" / ASSIGNMENT).iterdir()) == ["p1.ipynb"]


def test_what_canvas_marks_as_late_is_remarked(collect, run):
    names = ("doejane_LATE_4711_90001_p1.ipynb", "roejohn_4712_90002_p1.ipynb",
             "poejim_LATE_4713_90003_essay.pdf")  # fmt: skip
    found, _ = collect({"submissions.zip": dict.fromkeys(names, NOTEBOOK)})
    assert set(found) == placed("4711/p1.ipynb", "4711/lms_marks.json", "4712/p1.ipynb")
    run(collect.course)
    remarks = {key: row[4] for key, row in collect.course.ledger().items() if key[1] == "p1"}
    assert "Canvas marks it as late: p1.ipynb." in remarks["4711", "p1"]
    assert "late" not in remarks["4712", "p1"]
    assert not [name for name in collect.course.files() if "lms_marks" in name]


def test_names_of_the_lms_go_into_the_gradebook_where_there_is_none(collect):
    sql = collect.course.sql
    sql("INSERT INTO student (id, first_name, last_name) VALUES ('3', 'Kim', 'Known')")
    sql("INSERT INTO student (id, lms_user_id) VALUES ('jean', '2')")
    members = {
        "Jane van Doe_1_assignsubmission_file/p1.ipynb": NOTEBOOK,
        "Jean Luc_2_assignsubmission_file/A B_9_assignsubmission_file_p1.ipynb": NOTEBOOK,
        "Other Name_3_assignsubmission_file/p1.ipynb": NOTEBOOK,
        "Participant_4_assignsubmission_file/p1.ipynb": NOTEBOOK,
        "doejim_LATE_5_90001_Max_6_7_p1.ipynb": NOTEBOOK,
        "LATE_anon_Qq9_90007_p2.ipynb": NOTEBOOK,
    }
    collect({"all.zip": members})
    rows = sql("SELECT id, first_name, last_name FROM student WHERE last_name IS NOT NULL")
    assert sorted(rows) == [
        ("1", "Jane van", "Doe"), ("3", "Kim", "Known"), ("5", "", "doejim"),
        ("jean", "Jean", "Luc"),
    ]  # fmt: skip


def test_moodle_with_folders(collect):
    members = {
        "Jane Doe_1234567_assignsubmission_file/p1.ipynb": NOTEBOOK,
        "Jane Doe_1234567_assignsubmission_file/deeper/p2.ipynb": NOTEBOOK,
        "Jörg Müller_1234568_assignsubmission_file_/p1.ipynb": NOTEBOOK,  # before Moodle 4
        "Participant_1234569_assignsubmission_file/p2.ipynb": NOTEBOOK,
        "Jane Doe_1234567_assignsubmission_onlinetext/onlinetext.html": b"<p>",
    }
    found, _ = collect({"GPT-Week 1-4242.zip": members})
    assert set(found) == placed(
        "1234567/p1.ipynb", "1234567/p2.ipynb", "1234568/p1.ipynb", "1234569/p2.ipynb"
    )


def test_moodle_without_folders(collect):
    members = {
        "Jane Doe_1234567_assignsubmission_file_p1.ipynb": NOTEBOOK,
        "Jean-Luc Picard 2_1234568_assignsubmission_file_p2.ipynb": NOTEBOOK,
    }
    found, _ = collect({"GPT-Week 1-4242.zip": members})
    assert set(found) == placed("1234567/p1.ipynb", "1234568/p2.ipynb")


def test_students_get_the_ids_that_the_gradebook_has_for_the_lms(collect):
    collect.course.sql("INSERT INTO student (id, lms_user_id) VALUES ('jane', '4711')")
    members = {
        "doejane_4711_90001_p1.ipynb": NOTEBOOK,
        "roejohn_4712_90002_p1.ipynb": NOTEBOOK,
        "poejim_4713_90003_p1.ipynb": NOTEBOOK,
    }
    found, _ = collect(
        {"submissions.zip": members}, "c.LmsFileCollector.student_ids = {'4712': 'john'}\n"
    )
    assert set(found) == placed("jane/p1.ipynb", "john/p1.ipynb", "4713/p1.ipynb")


def test_a_course_with_names_of_its_own_keeps_its_pattern(collect):
    pattern = r".*/(?P<student_id>\\w+)-(?P<file_id>p\\d)\\.ipynb"
    found, _ = collect(
        {"all.zip": {"jane-p1.ipynb": NOTEBOOK}},
        f'c.FileNameCollectorPlugin.named_regexp = "{pattern}"\n',
    )
    assert set(found) == placed("jane/p1.ipynb")


def test_no_student_id_of_a_pattern_acts_in_a_page(collect):
    pattern = r".*/(?P<student_id>.+)-(?P<file_id>p\\d)\\.ipynb"
    names = ("jane", "<svg onload=hit()>", "a&lt;b", 'x";hit()')
    found, _ = collect(
        {"all.zip": {f"{name}-p1.ipynb": NOTEBOOK for name in names}},
        f'c.FileNameCollectorPlugin.named_regexp = "{pattern}"\n',
    )
    assert set(found) == placed("jane/p1.ipynb")


def test_nothing_leaves_its_folder(collect):
    link = zipfile.ZipInfo("doejane_4711_90009_p2.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in (
            "../../../slipped.ipynb",
            "/tmp/slipped.ipynb",
            "..\\..\\slipped.ipynb",
            "C:\\slipped.ipynb",
            "doejane_4711_90001_../../../slipped.ipynb",
            "doejane_4711_90002_p1.ipynb",
        ):
            made.writestr(name, NOTEBOOK)
        made.writestr(link, "/etc/passwd")
    root = collect.course.root
    folder = root / "downloaded" / ASSIGNMENT / "archive"
    folder.mkdir(parents=True)
    (folder / "submissions.zip").write_bytes(data.getvalue())
    done = nbgrader(collect.course, "zip_collect", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("it would lead out of its folder") == 5
    outside = [p for p in root.parent.rglob("*slipped*") if "extracted" not in p.parts]
    assert not outside
    assert not Path("/tmp/slipped.ipynb").exists()
    submitted = [p for p in (root / "submitted").rglob("*") if not p.is_dir()]
    assert [p.name for p in submitted] == ["p1.ipynb"]
    assert not any(p.is_symlink() for p in root.rglob("*"))


def test_a_damaged_or_swollen_archive_stops_no_other(collect):
    broken = bytearray(archive({"p1.ipynb": NOTEBOOK * 50}))
    broken[60:80] = b"\0" * 20
    bomb = archive({f"{n}.bin": b"\0" * 10**7 for n in range(30)})
    members = {
        "a_1_1_work.zip": b"no archive at all",
        "b_2_2_work.zip": bytes(broken),
        "c_3_3_work.zip": bomb,
        "d_4_4_p1.ipynb": NOTEBOOK,
        "e_5_5_work.zip": archive({"p2.ipynb": NOTEBOOK}),
    }
    found, said = collect(
        {"submissions.zip": members}, "c.CarefulExtractor.max_inner_megabytes = 50\n"
    )
    assert set(found) == placed("4/p1.ipynb", "5/p2.ipynb")
    assert "Cannot be unpacked" in said
    assert "The rest is left out, it is too much" in said
    extracted = collect.course.root / "downloaded" / ASSIGNMENT / "extracted"
    assert sum(p.stat().st_size for p in extracted.rglob("*.bin")) <= 60 * 10**6


def test_a_tar_archive(collect):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as made:
        for name in ("doejane_4711_90001_p1.ipynb", "../slipped.ipynb"):
            member = tarfile.TarInfo(name)
            member.size = len(NOTEBOOK)
            made.addfile(member, io.BytesIO(NOTEBOOK))
        link = tarfile.TarInfo("doejane_4711_90002_p2.ipynb")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    root = collect.course.root
    folder = root / "downloaded" / ASSIGNMENT / "archive"
    folder.mkdir(parents=True)
    (folder / "submissions.tar.gz").write_bytes(data.getvalue())
    done = nbgrader(collect.course, "zip_collect", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    names = [p.name for p in (root / "submitted").rglob("*") if not p.is_dir()]
    assert names == ["p1.ipynb"]
    assert not list(root.rglob("slipped*"))


@pytest.mark.parametrize(
    ("path", "student", "file"),
    [
        ("s/doejane_4711_90001_my_p1_final.ipynb", "4711", "my_p1_final.ipynb"),
        ("s/doe_jane_4711_90001_p1.ipynb", "4711", "p1.ipynb"),
        ("s/jane1_4711_90001_2024_homework_3.ipynb", "4711", "2024_homework_3.ipynb"),
        ("A B_77_assignsubmission_file/x_1_2_p1.ipynb", "77", "x_1_2_p1.ipynb"),
        # Students who name their files as if another had handed them in.
        ("s/doejane_4711_90001_roejohn_4712_90002_p1.ipynb", "4711", "roejohn_4712_90002_p1.ipynb"),
        ("s/A B_77_assignsubmission_file_C D_78_assignsubmission_file_p1.ipynb", "77",
         "C D_78_assignsubmission_file_p1.ipynb"),
        ("s/doejane_4711_90001_x/roejohn_4712_9_p1.ipynb", "4711", "roejohn_4712_9_p1.ipynb"),
        ("A_77_assignsubmission_file/B_78_assignsubmission_file/p1.ipynb", "77", "p1.ipynb"),
    ],
)  # fmt: skip
def test_names_with_numbers_and_underscores_in_them(path, student, file):
    from course_lib.grading.nbgrader_plugin.lms_files import parse

    parsed = parse(path)
    assert parsed is not None
    assert (parsed.student, parsed.file) == (student, file)


@pytest.mark.parametrize("path", ["p1.ipynb", "s/jane-p1.ipynb", "s/jane_p1.ipynb", "_1_.ipynb"])
def test_other_names_are_nobodys(path):
    from course_lib.grading.nbgrader_plugin.lms_files import parse

    assert parse(path) is None


EARLY = b"2026-01-05 10:00:00.000000 UTC"
UPLOADS = {
    "loose": {"doejane_4711_90001_p1.ipynb": NOTEBOOK, "doejane_4711_90002_timestamp.txt": EARLY},
    "again": {"doejane_4711_90001_p1.ipynb": NOTEBOOK, "doejane_4711_2_timestamp-1.txt": EARLY},
    "zipped": {
        "doejane_4711_90001_work.zip": archive({"p1.ipynb": NOTEBOOK, "timestamp.txt": EARLY})
    },
    "deep": {
        "doejane_4711_90001_w.zip": archive({"a/p1.ipynb": NOTEBOOK, "a/b/timestamp.txt": EARLY})
    },
    "Moodle": {
        "Jane Doe_4711_assignsubmission_file/p1.ipynb": NOTEBOOK,
        "Jane Doe_4711_assignsubmission_file/timestamp.txt": EARLY,
    },
}


@pytest.mark.parametrize("way", UPLOADS)
@pytest.mark.parametrize("taken", ["notebooks", "texts too"])
@pytest.mark.parametrize("known", ["", "2026-03-01 10:00:00 UTC"])
def test_a_time_that_a_student_put_in_counts_only_without_another_and_is_remarked(
    collect, run, way, taken, known
):
    course = collect.course
    folder = course.root / "submitted" / "4711" / ASSIGNMENT
    if known:
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text(known)
    texts = 'c.LmsFileCollector.valid_ext = [".ipynb", ".txt", ".json"]\n'
    collect({"submissions.zip": UPLOADS[way]}, texts if taken == "texts too" else "")
    time = (folder / "timestamp.txt").read_text()
    assert time.startswith(known[:19] or EARLY.decode()[:19])
    if taken == "texts too" and known:
        return  # what becomes of the remark is the same
    run(course)
    remarks = course.ledger()["4711", "p1"][4]
    assert "put there by the student" in remarks
    assert "2026-01-05" in remarks


def test_marks_of_a_students_own_are_not_taken_for_the_courses(collect):
    marks = json.dumps({"late": [], "own_time": "never"}).encode()
    upload = archive({"p1.ipynb": NOTEBOOK, "lms_marks.json": marks, "LMS_MARKS.json": marks})
    found, _ = collect(
        {"submissions.zip": {"doejane_LATE_4711_90001_w.zip": upload}},
        'c.LmsFileCollector.valid_ext = [".ipynb", ".json"]\n',
    )
    assert b"never" not in b"".join(found.values())


@pytest.mark.parametrize("name", ["timestamp", "TimeStamp", "lms_marks"])
def test_with_a_pattern_of_the_courses_own_the_time_in_the_name_counts(collect, name):
    pattern = r".*/(?P<student_id>\\w+)@(?P<timestamp>[-0-9]+)@(?P<file_id>\\w+)"
    ending = "json" if name == "lms_marks" else "txt"
    members = {"jane@2026-03-01@p1.ipynb": NOTEBOOK, f"jane@2026-03-01@{name}.{ending}": EARLY}
    found, said = collect(
        {"all.zip": members},
        f'c.FileNameCollectorPlugin.named_regexp = "{pattern}"\n'
        'c.LmsFileCollector.valid_ext = [".ipynb", ".txt", ".json"]\n',
    )
    assert set(found) == placed("jane/p1.ipynb", "jane/timestamp.txt")
    assert found[f"jane/{ASSIGNMENT}/timestamp.txt"].startswith(b"2026-03-01")
    assert "the course alone writes such files" in said
