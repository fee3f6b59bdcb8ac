"""Pages lie where nbgrader expects them, are written only if they changed, and never half."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.grading.feedback import write_feedback
from course_lib.grading.marks import CourseError
from course_lib.grading.result import CellScore
from tests.grading.feedback.attacks import ATTACKS
from tests.grading.feedback.conftest import SECRETS, elements, graded_notebook, text_of
from tests.grading.marks.scratch_course import Got

ROOT = Path(__file__).resolve().parents[3]


def scores(f: float = 1.0) -> list[CellScore]:
    return [
        CellScore("f", "code", f, 4, "partial"),
        CellScore("g", "code", 0.0, 2, "limit", "", (), "cpu time"),
        CellScore("why", "markdown", None, 3, "manual"),
        CellScore("draw", "markdown", None, 1, "manual"),
    ]


def hand_in(scratch, student, **got):
    scratch.hand_in(student, {"nb": Got(scores(), **got)}, pages={"nb": graded_notebook()})
    folder = scratch.root / "autograded" / student / "hw"
    (folder / "timestamp.txt").write_text("2026-03-01 07:00:00.000000 UTC")
    (folder / "submission_secret.txt").write_text(f"secret of {student}")
    return folder


def page_of(scratch, student):
    return scratch.root / "feedback" / student / "hw" / "nb.html"


def grade(scratch, student, score):
    grade = scratch.gradebook.find_grade("why", "nb", "hw", student)
    grade.manual_score, grade.needs_manual_grade = score, False
    scratch.gradebook.db.commit()


def test_a_page_for_each_student_where_nbgrader_puts_it(scratch):
    hand_in(scratch, "ada")
    hand_in(scratch, "bob")
    done = write_feedback(scratch.course, "hw")
    assert (done.pages, done.unchanged, done.failed) == (2, 0, [])
    assert "1 of 10 points so far" in text_of(page_of(scratch, "bob").read_text("utf-8"))
    beside = sorted(path.name for path in page_of(scratch, "ada").parent.iterdir())
    assert beside == ["nb.html", "submission_secret.txt", "timestamp.txt"]
    assert page_of(scratch, "ada").stat().st_mode & 0o777 == 0o644


def test_only_what_changed_is_written_again(scratch):
    for student in ("ada", "bob", "eve"):
        hand_in(scratch, student)
    write_feedback(scratch.course, "hw")
    before = {s: page_of(scratch, s).stat().st_mtime_ns for s in ("ada", "bob", "eve")}
    grade(scratch, "bob", 2.5)
    path = scratch.root / "autograded/eve/hw/nb.ipynb"
    path.write_text(path.read_text("utf-8").replace("my own cell", "another cell"), "utf-8")
    done = write_feedback(scratch.course, "hw")
    assert (done.pages, done.unchanged) == (2, 1)
    assert page_of(scratch, "ada").stat().st_mtime_ns == before["ada"]
    assert "3.5 of 10 points" in text_of(page_of(scratch, "bob").read_text("utf-8"))
    assert "another cell" in text_of(page_of(scratch, "eve").read_text("utf-8"))
    assert write_feedback(scratch.course, "hw", force=True).pages == 3


def test_only_the_students_asked_for(scratch):
    for student in ("ada", "bob"):
        hand_in(scratch, student)
    assert write_feedback(scratch.course, "hw", ["bob"]).pages == 1
    assert not page_of(scratch, "ada").exists()
    with pytest.raises(CourseError, match="mallory"):
        write_feedback(scratch.course, "hw", ["mallory"])


def test_several_processes_write_the_same_pages(scratch):
    many = {f"s{number:02}": {"nb": Got(scores())} for number in range(45)}
    scratch.hand_in_all(many)
    for student in many:
        folder = scratch.root / "autograded" / student / "hw"
        folder.mkdir(parents=True)
        (folder / "nb.ipynb").write_text(json.dumps(graded_notebook()))
    assert write_feedback(scratch.course, "hw", jobs=2).pages == 45
    side_by_side = page_of(scratch, "s07").read_bytes()
    assert write_feedback(scratch.course, "hw", force=True, jobs=1).pages == 45
    assert page_of(scratch, "s07").read_bytes() == side_by_side


def test_one_odd_notebook_does_not_stop_the_others(scratch):
    hand_in(scratch, "ada")
    (hand_in(scratch, "bob") / "nb.ipynb").write_text("{")
    (hand_in(scratch, "cy") / "nb.ipynb").write_text("[]")
    (hand_in(scratch, "dan") / "unknown.ipynb").write_text(json.dumps(graded_notebook()))
    done = write_feedback(scratch.course, "hw")
    assert done.pages == 2
    assert [Path(place).parts[-3] for place, _ in done.failed] == ["bob", "cy", "dan"]
    assert "no notebook of format 4" in done.failed[1][1]
    assert "the gradebook does not know it" in done.failed[2][1]


def test_a_page_that_cannot_be_written_leaves_the_old_one_whole(scratch, monkeypatch):
    hand_in(scratch, "ada")
    write_feedback(scratch.course, "hw")
    before = page_of(scratch, "ada").read_bytes()
    grade(scratch, "ada", 1)

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    done = write_feedback(scratch.course, "hw")
    assert "No space left" in done.failed[0][1]
    assert page_of(scratch, "ada").read_bytes() == before
    assert not list(page_of(scratch, "ada").parent.glob(".*"))


def test_a_withdrawn_notebook_takes_its_page_along_but_no_page_of_others(scratch):
    folder = hand_in(scratch, "ada")
    write_feedback(scratch.course, "hw")
    theirs = page_of(scratch, "ada").with_name("letter.html")
    theirs.write_text("<p>by hand</p>")
    (folder / "nb.ipynb").unlink()
    assert write_feedback(scratch.course, "hw").removed == 1
    assert not page_of(scratch, "ada").exists()
    assert theirs.exists()


def test_links_in_a_submission_lead_nowhere(scratch, tmp_path):
    folder = hand_in(scratch, "ada")
    (tmp_path / "system-secret").write_text("root:x:0")
    for name in ("timestamp.txt", "submission_secret.txt"):
        (folder / name).unlink()
        (folder / name).symlink_to(tmp_path / "system-secret")
    (folder / "data.txt").symlink_to(tmp_path / "system-secret")
    write_feedback(scratch.course, "hw")
    assert [path.name for path in page_of(scratch, "ada").parent.iterdir()] == ["nb.html"]


@pytest.mark.parametrize("student", ["<img src=x onerror=hit()>", "=cmd", "a b'\"&", "ü\u202e"])
def test_students_may_be_called_anything_a_folder_can(scratch, student):
    hand_in(scratch, student)
    assert write_feedback(scratch.course, "hw").pages == 1
    page = page_of(scratch, student).read_text("utf-8")
    assert "<img src=x" not in page
    assert "\u202e" not in page
    assert student.strip("\u202e") in text_of(page)


# ------------------------------------------------------------ as commands, and with nbgrader


@pytest.fixture
def command(scratch):
    config = f"""
c = get_config()
c.CourseDirectory.course_id = "demo"
c.Exchange.root = {str(scratch.root / "exchange")!r}
from course_lib.grading.feedback import FEEDBACK_PREPROCESSORS
c.GenerateFeedback.preprocessors = FEEDBACK_PREPROCESSORS
"""
    (scratch.root / "nbgrader_config.py").write_text(config)
    (scratch.root / "exchange").mkdir()
    (scratch.root / "exchange").chmod(0o777)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", *arguments], cwd=scratch.root, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(os.environ) | {"PATH": path, "PYTHONPATH": paths},
        )  # fmt: skip

    return run


def test_the_command_says_what_it_did_and_nbgrader_releases_it(scratch, command):
    hand_in(scratch, "ada")
    done = command("course_lib.grading.feedback", "hw")
    assert done.returncode == 0, done.stdout
    assert "1 pages written, 0 up to date" in done.stdout
    assert command("course_lib.grading.feedback", "other").returncode == 2
    released = command("nbgrader", "release_feedback", "hw")
    assert released.returncode == 0, released.stdout
    (page,) = (scratch.root / "exchange/demo/feedback").glob("*.html")
    assert page.read_bytes() == page_of(scratch, "ada").read_bytes()


def test_nbgraders_own_feedback_hides_the_same(scratch, command):
    hand_in(scratch, "ada", comments={"f_answer": "Mind <script>hit()</script> the mask."})
    folder = hand_in(scratch, "eve")
    hostile = graded_notebook()
    attacks = "\n\n".join(ATTACKS.values())
    for one in hostile["cells"]:
        if one["metadata"].get("nbgrader", {}).get("solution"):
            one["source"] = attacks
        one["metadata"]["tags"] = [attacks.replace(",", "")]
        for output in one.get("outputs", []):
            if "data" in output:
                output["data"]["text/html"] = output["data"]["text/plain"] = attacks
    hostile["metadata"]["title"] = attacks
    (folder / "nb.ipynb").write_text(json.dumps(hostile))
    done = command("nbgrader", "generate_feedback", "hw")
    assert done.returncode == 0, done.stdout
    page = page_of(scratch, "ada").read_text("utf-8")
    assert [place for place, secret in SECRETS.items() if secret in page] == []
    words = text_of(page)
    for shown in ("A hidden test failed.", "This test failed.", "The causal mask is missing",
                  "It was stopped after 10 s.", "A cell was moved.", "hello red"):  # fmt: skip
        assert shown in words
    assert "hit()" not in page.replace("&lt;script&gt;hit()&lt;/script&gt;", "")
    found = elements(page_of(scratch, "eve").read_text("utf-8"))
    plain = elements(page)
    for tag in ("script", "style", "meta", "link", "iframe", "svg", "form", "object", "base"):
        assert sum(t == tag for t, _ in found) == sum(t == tag for t, _ in plain), tag
    for _, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert not (attributes.get("href") or "").strip().lower().startswith(("java", "data", "vb"))
