"""Before the batch: the assignment is released as nbgrader does, and its own answers are tried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT, ScratchCourse, cell, source_notebook
from stand_in_judge import judge

from course_lib.grading.run import CourseError

ROOT = Path(__file__).resolve().parents[3]
RIGHT = "answer = 42"


def nbgrader(course, *arguments):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    modules = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments], cwd=course.root, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ) | {"PATH": path, "PYTHONPATH": modules},
    )  # fmt: skip


def released(course):
    return {p.name: p.read_bytes() for p in (course.root / "exercises" / ASSIGNMENT).iterdir()}


def test_the_first_run_makes_gradebook_and_exercises_as_nbgrader_does(tmp_path, run):
    ours, theirs = ScratchCourse(tmp_path / "ours"), ScratchCourse(tmp_path / "theirs")
    ours.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    assert run(ours).counts.graded == 2
    done = nbgrader(theirs, "generate_assignment", ASSIGNMENT)
    assert done.returncode == 0, done.stdout
    assert released(ours) == released(theirs)
    cells = "SELECT name, cell_type, locked, source, checksum FROM source_cell ORDER BY name"
    assert ours.sql(cells) == theirs.sql(cells)


def test_a_changed_source_is_released_again_and_an_unchanged_one_is_not(course, run):
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course)
    assert not (course.root / "exercises").exists()  # this gradebook came with the assignment
    notebook = source_notebook()
    notebook["cells"][2]["source"] = "assert answer == 42  # told to everybody"
    course.write_source("p1", notebook)
    run(course)
    assert b"told to everybody" in released(course)["p1.ipynb"]


def test_other_cells_after_students_handed_in_are_refused_with_a_way_on(course, run):
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course)
    before = course.state()
    notebook = source_notebook()
    notebook["cells"].append(cell("test", "assert answer", "another", 1))
    course.write_source("p2", notebook)
    message = r"the cell another of p2.*nbgrader db assignment remove week 1 --force"
    with pytest.raises(CourseError, match=message):
        run(course)
    assert course.state() == before


def test_a_notebook_that_is_none_is_named(course, run):
    (course.root / "solutions" / ASSIGNMENT / "p2.ipynb").write_text("{")
    course.submit("ann", {"p1": RIGHT})
    with pytest.raises(CourseError, match=r"p2\.ipynb cannot be read"):
        run(course)


def test_what_nbgrader_refuses_is_passed_on(course, run):
    notebook = source_notebook()
    notebook["cells"][1]["source"] = "### BEGIN SOLUTION\nanswer = 42"  # never ended
    course.write_source("p1", notebook)
    course.submit("ann", {"p2": RIGHT})
    with pytest.raises(CourseError, match=r"(?s)nbgrader cannot generate week 1:.*end solution"):
        run(course)


def test_the_instructors_own_answers_must_earn_full_marks(course, run):
    notebook = source_notebook()
    notebook["cells"][1]["source"] = "### BEGIN SOLUTION\nanswer = 21\n### END SOLUTION"
    course.write_source("p2", notebook)
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    with pytest.raises(
        CourseError, match=r"p2: The test check gives the instructor's own answers 2 of 4"
    ):
        run(course)
    assert course.grades() == {}


def test_a_judge_that_fails_on_the_instructors_own_is_told(course, run):
    def broken(_job):
        raise RuntimeError("no wall here")

    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    with pytest.raises(CourseError, match=r"p1: no wall here"):
        run(course, grade=broken)


def test_own_answers_are_tried_once_for_each_version_of_the_tests(course, run):
    jobs = []

    def counting(job):
        jobs.append(job.submission == job.source)
        return judge(job)

    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    run(course, grade=counting)
    assert sum(jobs) == 2
    run(course, grade=counting, force=True)
    assert sum(jobs) == 2
    notebook = source_notebook()
    notebook["cells"][2]["source"] += "\nassert answer < 43"
    course.write_source("p1", notebook)
    run(course, grade=counting)
    assert sum(jobs) == 4


def test_a_job_has_all_that_the_judge_needs(make_course, run):
    course = make_course(
        more="""
c.ClearSolutions.code_stub = {"python": "# your turn"}
c.ClearHiddenTests.begin_test_delimeter = "SECRET"
c.Judge.packages = ["numpy"]
c.Judge.memory_mib = 77
c.Judge.environment = {"TABLE": "small"}
"""
    )
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    jobs = []

    def watched(job):
        jobs.append(job)
        return judge(job)

    run(course, grade=watched)
    for job in jobs:
        assert job.delimiters.code_stub == "# your turn"
        assert job.delimiters.begin_hidden == "SECRET"
        assert job.data == (("data.csv", b"a,b\n1,2\n"),)
        assert job.settings.packages == ("numpy",)
        assert job.settings.limits.memory == 77 * 2**20
        assert job.settings.environment["TABLE"] == "small"
        assert 2**64 < int(job.settings.environment["COURSE_HIDDEN_SEED"]) < 2**128
    assert len({job.seed for job in jobs}) == 4  # two students, the instructor among them


def test_headers_and_footers_are_graded_too(make_course, run):
    course = make_course(more="c.IncludeHeaderFooter.header = 'header.ipynb'\n")
    header = source_notebook() | {"cells": [cell("setup", "HEADER = 1") | {"id": "header"}]}
    (course.root / "header.ipynb").write_text(json.dumps(header))
    course.submit("ann", {"p1": RIGHT, "p2": RIGHT})
    sources = []

    def watched(job):
        sources.append("".join(json.loads(job.source)["cells"][0]["source"]))
        return judge(job)

    run(course, grade=watched)
    assert set(sources) == {"HEADER = 1"}


def test_tests_that_nbgrader_wrote_are_taken_from_the_gradebook(make_course, run):
    course = make_course(notebooks=())
    notebook = source_notebook()
    notebook["cells"][2]["source"] = "### AUTOTEST answer"
    course.write_source("p1", notebook)
    (course.root / "autotests.yml").write_text(AUTOTEST)
    course.submit("ann", {"p1": RIGHT})
    sources = []

    def watched(job):
        sources.append("".join(json.loads(job.source)["cells"][2]["source"]))
        return judge(job)

    run(course, grade=watched)
    assert "AUTOTEST" not in sources[0]
    assert "42" in sources[0]
    assert run(course, grade=watched).counts.skipped == 1


AUTOTEST = """
python3:
    setup: "from hashlib import sha1"
    hash: 'sha1({{snippet}}.encode("utf-8")+b"{{salt}}").hexdigest()'
    dispatch: "type({{snippet}})"
    normalize: "str({{snippet}})"
    check: 'assert {{snippet}} == {{value}}, "{{message}}"'
    success: "print('Success!')"
    templates:
        default:
            - test: "type({{snippet}})"
              fail: "type of {{snippet}} is not correct"
            - test: "{{snippet}}"
              fail: "value of {{snippet}} is not correct"
"""
