"""Attacks on a whole run: hostile folders, files beside notebooks, links, names, archives.

All submissions of one course, graded by one run and then once more; the honest ones among them are
graded as if they were alone, and nothing of the grader's is read, changed or printed.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from course_lib.grading.class_report.write import write_report
from course_lib.grading.feedback.write import write_feedback
from course_lib.grading.grade import close_workers
from course_lib.grading.marks.course import open_course as open_marks
from course_lib.grading.run import Choice, autograde, open_course
from course_lib.grading.run.report import closing_table

HERE = Path(__file__).parent
CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "attacked"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
"""
WEEK = "week1"
SECRET = "canary-of-the-course-6b1"
MARKER = "imported-by-the-grader"
ANSWER = "answer = 42"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

Hand = Callable[[Path, Path], None]  # the student's folder, the course's folder


def _cell(source: str, grade_id: str = "", **marks: object) -> dict:
    made = {"cell_type": "code", "id": grade_id or "setup", "metadata": {}, "source": source,
            "outputs": [], "execution_count": None}  # fmt: skip
    if grade_id:
        made["metadata"]["nbgrader"] = {
            "grade_id": grade_id, "schema_version": 3, "task": False, "grade": False,
            "solution": False, "locked": False, **marks,
        }  # fmt: skip
    return made


def _notebook(answer: str) -> dict:
    test = (
        f"assert answer > 0\n### BEGIN HIDDEN TESTS\nassert answer == 42, {SECRET!r}\n"
        "### END HIDDEN TESTS"
    )
    return {
        "cells": [
            _cell("import math"),
            _cell(answer, "answer", solution=True),
            _cell(test, "check", grade=True, locked=True, points=4),
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "P", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _write(folder: Path, answer: str = ANSWER, name: str = "p1") -> None:
    made = _notebook(answer)
    made["cells"][2]["source"] = "assert answer > 0"
    (folder / f"{name}.ipynb").write_text(json.dumps(made))


# ---------------------------------------------------------------- what is handed in


def _modules(folder: Path, course: Path) -> None:
    """Lay modules beside the notebook whose import would leave a mark."""
    _write(folder, "answer = 1")
    code = f"open({str(course / MARKER)!r}, 'a').write(__name__)\nanswer = 42\n"
    for name in (
        "numpy.py", "math.py", "sitecustomize.py", "usercustomize.py", "conftest.py", "json.py",
        "nbgrader_config.py", "ipython_config.py", "jupyter_config.py", "course_lib.py", "own.pth",
        ".pythonrc.py", "__init__.py",
    ):  # fmt: skip
        (folder / name).write_text(code if not name.endswith(".pth") else f"import os; {code}")
    start = folder / ".ipython" / "profile_default" / "startup"
    start.mkdir(parents=True)
    (start / "first.py").write_text(code)


def _link_to_solution(folder: Path, course: Path) -> None:
    (folder / "p1.ipynb").symlink_to(course / "solutions" / WEEK / "p1.ipynb")


def _links_beside(folder: Path, course: Path) -> None:
    _write(folder, "answer = 1")
    for name, target in (
        ("passwd", "/etc/passwd"), ("secret.txt", course / "secret.txt"), ("all", course),
        ("gradebook.db", course / "gradebook.db"), ("loop", "loop"), ("up", "../../.."),
        ("gone", "/nowhere"), ("zero", "/dev/zero"),
    ):  # fmt: skip
        (folder / name).symlink_to(target)


def _pipe(folder: Path, course: Path) -> None:
    os.mkfifo(folder / "p1.ipynb")
    os.mkfifo(folder / "timestamp.txt")


def _folder_for_notebook(folder: Path, course: Path) -> None:
    (folder / "p1.ipynb").mkdir()
    (folder / "p1.ipynb" / "p1.ipynb").write_text("{}")


def _climbing(folder: Path, course: Path) -> None:
    _write(
        folder,
        "import os, sqlite3\nanswer = 1\nfor up in ('..', '../..', '../../..', '../../../..'):\n"
        f"    for path in (f'{{up}}/gradebook.db', {str(course / 'gradebook.db')!r}):\n"
        "        try:\n            sqlite3.connect(path).execute('update grade set points = 300')\n"
        "        except sqlite3.Error as error:\n            print(error)",
    )


def _forged_time(folder: Path, course: Path) -> None:
    _write(folder)
    (folder / "timestamp.txt").write_text("1970-01-01 00:00:00 \x1b[2J\x1b]0;owned\x07 ../../x")


def _long_time(folder: Path, course: Path) -> None:
    _write(folder)
    (folder / "timestamp.txt").write_bytes(b"9" * 5_000_000 + b"\xff\x00")


def _odd_files(folder: Path, course: Path) -> None:
    _write(folder)
    for name in ("\x1b[31mred", "new\nline", "\u202egpj.exe", "-rf", "a" * 200, "%s{0}", "=cmd()"):
        (folder / name).write_text("x")
    place = folder
    for _ in range(40):
        place = place / "d"
    place.mkdir(parents=True)


def _graded_folders(folder: Path, course: Path) -> None:
    _write(folder, "answer = 1")
    (folder / "gradebook.db").write_bytes(b"SQLite format 3\0")
    (folder / ".judge_secret").write_text("0" * 64)
    (folder / "feedback").mkdir()


def _escapes(folder: Path, course: Path) -> None:
    _write(folder, "raise ValueError('\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e')")


def _imported_secret(folder: Path, course: Path) -> None:
    _write(folder, f"answer = 1\nprint(open({str(course / 'secret.txt')!r}).read())")


def _kills(folder: Path, course: Path) -> None:
    _write(folder, "import os, signal\nanswer = 42\nos.kill(os.getppid(), 9)")


SCRIPT = "<script>alert(904)</script><img src=x onerror=alert(904)>"


def _scripts(folder: Path, course: Path) -> None:
    made = _notebook(
        f"print({SCRIPT!r})\nfrom IPython.display import HTML\ndisplay(HTML({SCRIPT!r}))\n"
        f"answer = 0\nraise ValueError({SCRIPT!r})  # {SCRIPT}"
    )
    made["cells"][2]["source"] = "assert answer > 0"
    made["cells"].append(
        {"cell_type": "markdown", "id": "own", "metadata": {}, "source": f"{SCRIPT}\n\n"
         "[x](javascript:alert(904)) $\\href{javascript:alert(904)}{x}$"}
    )  # fmt: skip
    (folder / "p1.ipynb").write_text(json.dumps(made))


ZERO, FULL = 0.0, 4.0
STUDENTS: dict[str, tuple[Hand, float]] = {
    "modules": (_modules, ZERO),
    "link": (_link_to_solution, ZERO),
    "links": (_links_beside, ZERO),
    "pipe": (_pipe, ZERO),
    "folder": (_folder_for_notebook, ZERO),
    "climbing": (_climbing, ZERO),
    "forged-time": (_forged_time, FULL),
    "long-time": (_long_time, FULL),
    "odd-files": (_odd_files, FULL),
    "graded": (_graded_folders, ZERO),
    "escapes": (_escapes, ZERO),
    "secret": (_imported_secret, ZERO),
    "kills": (_kills, FULL),
    "scripts": (_scripts, ZERO),
    "=cmd|' -C calc'!A1": (lambda folder, _: _write(folder), FULL),
    "-rf": (lambda folder, _: _write(folder), FULL),
    "%s{0.__class__}": (lambda folder, _: _write(folder), FULL),
    # not graded, and told: its name would act in nbgrader's pages
    "<script>alert(1)<": (lambda folder, _: _write(folder), ZERO),
    "'; drop table grade; --": (lambda folder, _: _write(folder), FULL),
    "new\nline": (lambda folder, _: _write(folder), ZERO),  # nbgrader knows no such student
    "\x1b[31mred\u202e": (_pipe, ZERO),
    "ada": (lambda folder, _: _write(folder), FULL),
    "zoe": (lambda folder, _: _write(folder), FULL),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grade the course with all of them; return its folder and what was printed."""
    course = tmp_path_factory.mktemp("run") / "course"
    source = course / "solutions" / WEEK
    source.mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(CONFIG)
    (course / "secret.txt").write_text(SECRET)
    solved = f"### BEGIN SOLUTION\n{ANSWER}  # {SECRET}\n### END SOLUTION"
    (source / "p1.ipynb").write_text(json.dumps(_notebook(solved)))
    first = course / "submitted" / "first" / WEEK
    first.mkdir(parents=True)
    _write(first)
    printed = io.StringIO()
    autograde(open_course(course), WEEK, Choice(jobs=1), stream=printed)
    for name, (hand, _) in STUDENTS.items():
        folder = course / "submitted" / name / WEEK
        folder.mkdir(parents=True)
        hand(folder, course)
    for _ in range(2):
        summary = autograde(open_course(course), WEEK, Choice(jobs=2), stream=printed)
        printed.write(closing_table(summary))
    yield course, printed.getvalue()
    close_workers()
    shutil.rmtree(course)


def _scores(course: Path) -> dict[str, float]:
    connection = sqlite3.connect(course / "gradebook.db")
    rows = connection.execute(
        "SELECT sa.student_id, sum(g.auto_score) FROM grade g "
        "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
        "JOIN submitted_assignment sa ON sa.id = sn.assignment_id GROUP BY sa.student_id"
    ).fetchall()
    connection.close()
    return {student: score or 0.0 for student, score in rows}


@pytest.mark.parametrize("name", STUDENTS, ids=ascii)
def test_hostile_folder_gains_nothing(graded, name):
    course, _ = graded
    assert _scores(course).get(name, 0.0) == STUDENTS[name][1]


def test_honest_students_beside_them_have_full_marks(graded):
    scores = _scores(graded[0])
    assert scores["first"] == scores["ada"] == scores["zoe"] == FULL


def test_nothing_handed_in_was_imported_by_the_grader(graded):
    assert not (graded[0] / MARKER).exists()


def test_graded_folders_hold_no_secret_but_the_test_itself(graded):
    course, _ = graded
    for path in (course / "autograded").rglob("*"):
        assert not path.is_symlink()
        if path.is_file() and path.suffix != ".ipynb":
            assert SECRET.encode() not in path.read_bytes()
            assert b"root:" not in path.read_bytes()
        elif path.is_file():
            outputs = [c.get("outputs") for c in json.loads(path.read_text())["cells"][:2]]
            assert SECRET not in json.dumps(outputs)


def test_what_is_printed_commands_no_terminal(graded):
    _, printed = graded
    text = printed.replace("\r", "").replace("\x1b[A", "").replace("\x1b[K", "")
    assert not CONTROL.findall(text), ascii(CONTROL.sub("<!>", text))[-1500:]


class _Tags(HTMLParser):
    """The scripts of a page, and all attributes by which one could run code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.running: list[str] = []
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        for name, value in attrs:
            if name.startswith("on") or "javascript:" in str(value):
                self.running.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.running.append(data)


@pytest.fixture(scope="module")
def pages(graded):
    """Write the feedback and the class report; return the files, by path."""
    course, _ = graded
    opened = open_marks(course)
    write_feedback(opened, WEEK, [], True, 1)
    write_report(opened, WEEK, str(course / "report"), "")
    found = [*(course / "feedback").rglob("*.html"), *(course / "report").iterdir()]
    return {str(path.relative_to(course)): path.read_text() for path in found}


def test_pages_run_nothing_of_a_student(pages):
    html = {name: page for name, page in pages.items() if name.endswith(".html")}
    assert len(html) > 10
    assert any("alert(904)" in page for page in html.values())
    for name, page in html.items():
        assert not [code for code in _Tags(page).running if "904" in code or "alert" in code], name


def test_feedback_holds_no_hidden_test_and_no_solution(pages):
    for name, page in pages.items():
        assert SECRET not in page, name
        assert "answer == 42" not in page, name


def test_tables_hold_no_formula(pages):
    tables = {name: page for name, page in pages.items() if name.endswith(".csv")}
    assert any("cmd|" in table for table in tables.values())
    for table in tables.values():
        for row in csv.reader(io.StringIO(table)):
            for value in row:
                number = re.fullmatch(r"-?[\d.]+", value)
                assert number or not value.lstrip().startswith(("=", "+", "-", "@")), value


def test_command_line_prints_no_escapes(tmp_path, graded):
    """Grading one notebook prints reasons, and these quote the student."""
    course, _ = graded
    source = course / "solutions" / WEEK / "p1.ipynb"
    run = subprocess.run(
        [sys.executable, "-m", "course_lib.grading", "grade", str(source),
         str(course / "submitted" / "escapes" / WEEK / "p1.ipynb")],
        cwd=HERE.parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    assert "check: 0 of 4" in run.stdout
    assert not CONTROL.search(run.stdout + run.stderr)


def test_optimised_python_keeps_the_asserts_of_tests(graded):
    """PYTHONOPTIMIZE in the grader's environment would give everyone full marks."""
    course, _ = graded
    run = subprocess.run(
        [sys.executable, "-m", "course_lib.grading", "grade",
         str(course / "solutions" / WEEK / "p1.ipynb"),
         str(course / "submitted" / "graded" / WEEK / "p1.ipynb")],
        cwd=HERE.parents[2], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONOPTIMIZE": "1"},
    )  # fmt: skip
    assert "check: 0 of 4" in run.stdout, run.stderr


def test_archive_of_an_lms_writes_nothing_outside(tmp_path):
    """nbgrader zip_collect, with names that climb, links, and a student id that is a path."""
    course = tmp_path / "course"
    place = course / "downloaded" / WEEK / "archive"
    place.mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(
        CONFIG + "from course_lib.grading.nbgrader_plugin import configure\nconfigure(c)\n"
    )
    outside = tmp_path / "outside.ipynb"
    with zipfile.ZipFile(place / "all.zip", "w") as archive:
        for name in (
            "../../../../outside.ipynb", "/outside.ipynb", "../../../gradebook.db",
            "../../../submitted/victim/week1/p1.ipynb", "..\\..\\outside.ipynb",
            "ada_101_2_p1.ipynb", "../x_1_2_p1.ipynb", "../../../../../x_103_2_p1.ipynb",
            "ada_102_2_..%2F..%2Fvictim.ipynb", "ada_105_2_../p1.ipynb",
        ):  # fmt: skip
            archive.writestr(name, json.dumps(_notebook(ANSWER)))
        link = zipfile.ZipInfo("eve_104_4_p1.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    ran = subprocess.run(
        [sys.executable, "-m", "nbgrader", "zip_collect", WEEK], cwd=course, check=False,
        capture_output=True, env=os.environ | {"PYTHONPATH": str(HERE.parents[2])}, timeout=120,
    )  # fmt: skip
    collected = course / "submitted" / "101" / WEEK / "p1.ipynb"
    assert json.loads(collected.read_text()) == _notebook(ANSWER), ran.stderr
    assert not outside.exists()
    assert not Path("/outside.ipynb").exists()
    assert (course / "gradebook.db").read_bytes().startswith(b"SQLite")
    assert not (course / "submitted" / "victim").exists()
    assert {path.name for path in (course / "submitted").iterdir()} <= {"101", "102", "103", "105"}
    for path in course.rglob("*"):
        assert not path.is_symlink()
        if path.is_file() and path.suffix == ".ipynb":
            assert b"root:" not in path.read_bytes()
