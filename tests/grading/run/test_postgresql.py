"""The gradebook in PostgreSQL, named by its URL."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT, ScratchCourse

pytest.importorskip("psycopg")
RIGHT, WRONG = "answer = 42", "answer = 1"


def program(name: str) -> str | None:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(installed[-1]) if installed else shutil.which(name)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A PostgreSQL server of this test's own; it refuses to run as root."""
    initdb, postgres = program("initdb"), program("postgres")
    if not (initdb and postgres):
        pytest.skip("PostgreSQL's server is not installed")
    folder = tmp_path_factory.mktemp("postgresql")
    user = {}
    if os.getuid() == 0:
        import pwd

        entry = pwd.getpwnam("nobody")
        for place in (folder, *folder.parents):
            if place.stat().st_mode & 0o005 != 0o005 and place != Path("/"):
                place.chmod(place.stat().st_mode | 0o011)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"
    settings = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}} | user
    subprocess.run(
        [initdb, "--no-sync", "-A", "trust", "-U", "judge", "-E", "UTF8", "-D", data],
        check=True, stdout=subprocess.DEVNULL, **settings,
    )  # fmt: skip
    running = subprocess.Popen(
        [postgres, "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", "", "-F"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **settings,
    )  # fmt: skip
    try:
        wait_for(port, running)
        yield f"postgresql+psycopg://judge@127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(20)


def wait_for(port: int, running: subprocess.Popen[bytes]) -> None:
    import time

    import psycopg

    for _ in range(150):
        assert running.poll() is None, "the server ended"
        try:
            psycopg.connect(host="127.0.0.1", port=port, user="judge", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


@pytest.fixture
def url(server):
    from uuid import uuid4

    import psycopg

    name = f"gradebook_{uuid4().hex[:8]}"
    address = server.replace("+psycopg", "") + "/postgres"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


def rows(url, statement):
    from sqlalchemy import create_engine, text

    engine = create_engine(url)
    with engine.begin() as connection:
        found = connection.execute(text(statement))
        result = [tuple(row) for row in found] if found.returns_rows else []
    engine.dispose()
    return result


GRADES = (
    "SELECT sa.student_id, n.name, c.name, g.auto_score, g.manual_score, g.needs_manual_grade "
    "FROM grade g JOIN base_cell c ON c.id = g.cell_id "
    "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
    "JOIN notebook n ON n.id = sn.notebook_id "
    "JOIN submitted_assignment sa ON sa.id = sn.assignment_id ORDER BY 1, 2, 3"
)


def test_grades_go_there_and_a_second_run_resumes(tmp_path, url, make_course, run):
    course = ScratchCourse(tmp_path / "course", more=f"c.CourseDirectory.db_url = {url!r}\n")
    same = make_course()
    for each in (course, same):
        each.submit("ann", {"p1": RIGHT, "p2": WRONG}, "2026-03-01 10:00:00 UTC")
        each.submit("bob", {"p1": RIGHT})
        (each.submitted("bob") / "p2.ipynb").write_text("{")
        assert run(each).counts.graded == 4
    there = [(*row[:5], int(row[5])) for row in rows(url, GRADES)]
    assert there == same.sql(GRADES)
    assert run(course).counts.skipped == 4
    rows(url, "UPDATE grade SET auto_score = 1 WHERE auto_score = 4")
    course.submit("ann", {"p2": RIGHT})
    assert run(course).counts.graded == 3
    assert not (course.root / "gradebook.db").exists()
    kept = rows(url, "SELECT assignment, count(*) FROM judge_ledger GROUP BY assignment")
    assert kept == [(ASSIGNMENT, 4)]


def test_a_database_that_is_not_there_is_told(tmp_path, run):
    from course_lib.grading.run import CourseError

    url = "postgresql+psycopg://judge@127.0.0.1:1/nothing"
    course = ScratchCourse(tmp_path / "course", more=f"c.CourseDirectory.db_url = {url!r}\n")
    course.submit("ann", {"p1": RIGHT, "p2": WRONG})
    with pytest.raises(CourseError, match=r"the gradebook cannot be opened: .*127\.0\.0\.1"):
        run(course)
