"""The page and the CSV files: complete, safe to open, and readable by all."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from course_lib.grading.class_report import collect, write_report
from course_lib.grading.class_report.page import time_span
from course_lib.grading.class_report.tables import all_tables, csv_text, defused
from course_lib.grading.marks import CourseError
from course_lib.grading.result import CellScore, Mistake, Remark
from tests.grading.class_report.conftest import MASK, SCALE, one, two
from tests.grading.feedback.attacks import ATTACKS
from tests.grading.feedback.conftest import elements, text_of
from tests.grading.marks.browser import violations
from tests.grading.marks.scratch_course import Got

ROOT = Path(__file__).resolve().parents[3]


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


@pytest.fixture
def page(classroom):
    return write_report(classroom.course, "hw")


@pytest.fixture
def hostile_class(scratch):
    """For each attack a student whose name, mistakes, limits and remarks it is."""
    students = {}
    for number, attack in enumerate(ATTACKS.values()):
        student = f"={number} " + attack.replace("\ud800", "")  # no database takes that one
        mistake = Mistake("+" + attack, "@" + attack, "-" + attack)
        score = CellScore("f", "code", 0.0, 4, "failed", attack, (mistake,), "-" + attack)
        remarks = (Remark("@" + attack, "=" + attack, True),)
        manual = CellScore("why", "markdown", None, 6, "manual")
        scratch.enrol(student, "absent " + student, first=student, last=student)
        students[student] = {"one": Got([score, manual], remarks), "two": two(1)}
    scratch.hand_in_all(students)
    return scratch


# ------------------------------------------------------------ CSV


def test_scores_have_a_row_for_each_student_and_a_column_for_each_exercise(page):
    rows = {row["student"]: row for row in read(page.with_name("scores.csv"))}
    assert set(rows) == {"'=fay", "ada", "ben", "cid", "dan", "eve", "yan", "zoe"}
    ada = rows["ada"]
    assert (ada["one/f"], ada["one/why"], ada["two/g"], ada["total"]) == ("4", "6", "10", "20")
    assert (ada["first_name"], ada["last_name"], ada["max_total"]) == ("Ada", "L<b>", "20")
    assert rows["cid"]["two/g"] == ""  # not handed in
    assert rows["ben"]["one/why"] == ""  # not graded yet
    assert rows["ben"]["waiting"] == "1"
    assert (rows["'=fay"]["late_penalty"], rows["'=fay"]["seconds_late"]) == ("1.5", "93600")
    assert (rows["zoe"]["handed_in_utc"], rows["zoe"]["total"]) == ("", "0")


def test_mistakes_cells_and_remarks(page):
    mistakes = {(r["student"], r["id"], r["title"]) for r in read(page.with_name("mistakes.csv"))}
    assert mistakes == {
        ("'=fay", "no_scale", SCALE.title), ("ben", "no_scale", SCALE.title),
        ("ben", "no_mask", MASK.title), ("cid", "no_mask", MASK.title),
    }  # fmt: skip
    cells = {(r["student"], r["exercise"]): r for r in read(page.with_name("cells.csv"))}
    assert cells["dan", "f"]["status"] == "limit"
    assert cells["dan", "f"]["limit"] == "cpu time"
    assert float(cells["dan", "f"]["cpu_seconds"]) == 0.2
    assert cells["ada", "why"]["graded_by_person"] == "yes"
    assert ("cid", "g") not in cells
    remarks = {
        (r["student"], r["kind"], r["needs_look"]) for r in read(page.with_name("remarks.csv"))
    }
    assert ("cid", "duplicated_cell", "yes") in remarks


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", " ="]
)
def test_what_a_spreadsheet_would_compute_is_defused(start):
    formula = start + "HYPERLINK(1)"
    assert defused(formula) == "'" + formula
    assert (
        list(csv.reader(io.StringIO(csv_text([formula], [[formula]]), newline="")))
        == [["'" + formula]] * 2
    )


@pytest.mark.parametrize("inside", [";=1+2", "a; -1", "a\t@x", "a|+1", "a;\uff1d1"])
def test_what_begins_a_cell_where_others_split_lines_is_defused(inside):
    sign = next(c for c in inside if c in "=+-@\uff1d")
    assert defused(inside) == inside.replace(sign, "'" + sign, 1)


def test_numbers_and_ordinary_texts_are_left_as_they_are():
    made = csv_text(["a"], [[-1.5, 2.0, 1 / 3, 1_234_567.25, None, True, "a-b=c", 'say "x", y']])
    assert made == 'a\r\n-1.5,2,0.333333,1234567.25,,yes,a-b=c,"say ""x"", y"\r\n'


def test_no_cell_of_any_file_begins_with_a_formula(hostile_class):
    for table in all_tables(collect(hostile_class.course, "hw")).values():
        for row in csv.reader(io.StringIO(table, newline="")):
            assert not [c for c in row if c.startswith(("=", "+", "@")) or re.match(r"-\D", c)]


# ------------------------------------------------------------ the page


def test_the_page_says_in_words_what_happened(page):
    words = text_of(page.read_text("utf-8"))
    assert "Handed in6 of 8" in words
    assert "2 of 5: The causal mask is missing" in words
    assert "The cell f_answer stood twice." in words
    assert "Handed in, but not in the gradebook: run `autograde`." in words
    assert "why one: 5 of 6 answers still to grade" in words
    assert "1 d 2 h" in words
    assert "landlock+seccomp (11 notebooks)" in words


def test_the_page_names_who_made_a_mistake(page):
    found = re.search(
        r"(?s)2 of 5</b>: The causal.*?<ul class=\"who\">(.*?)</ul>", page.read_text()
    )
    assert re.findall(r"<li>(\w+)</li>", found[1]) == ["ben", "cid"]


def test_one_is_not_called_several(scratch):
    scratch.hand_in("ada", {"one": one(4), "two": two(1)})
    words = text_of(write_report(scratch.course, "hw").read_text("utf-8"))
    assert "1 of 1 answer still to grade" in words
    assert "1 answers" not in words
    assert "None took long." in words


def test_without_a_due_date_nobody_is_called_punctual(classroom):
    assert "No due date" not in text_of(write_report(classroom.course, "hw").read_text("utf-8"))
    classroom.gradebook.find_assignment("hw").duedate = None
    classroom.gradebook.db.execute(
        text("UPDATE submitted_notebook SET late_submission_penalty = 0")
    )
    classroom.gradebook.db.commit()
    words = text_of(write_report(classroom.course, "hw").read_text("utf-8"))
    assert "No due date is set, so nobody counts as late." in words
    assert 'nbgrader db assignment add hw --duedate="' in words
    assert "Late (0)" not in words


def test_names_have_a_column_where_the_gradebook_knows_them(classroom):
    def heads():
        page = write_report(classroom.course, "hw").read_text("utf-8")
        table = page[page.index('id="students"') :]
        return re.findall(r"<button[^>]*>([^<]*)<", table)[:3], page

    names, page = heads()
    assert names == ["Student", "Name", "Total"]
    assert "<td>Ada L&lt;b&gt;</td>" in page
    classroom.gradebook.db.execute(text("UPDATE student SET first_name = '', last_name = NULL"))
    classroom.gradebook.db.commit()
    assert heads()[0] == ["Student", "Total", "f"]


def test_links_lead_to_the_files_and_to_the_formgrader(classroom):
    for step, name in (("autograded", "one.ipynb"), ("feedback", "one.html")):
        folder = classroom.root / step / "cid/hw"
        folder.mkdir(parents=True)
        (folder / name).write_text("x")
    page = write_report(classroom.course, "hw", formgrader="http://localhost:8888/formgrader/")
    links = {attributes.get("href") or "" for _, attributes in elements(page.read_text("utf-8"))}
    files = {link for link in links if link.startswith("../")}
    assert {Path(link).name for link in files} == {"one.ipynb", "one.html"}
    assert all((page.parent / link).is_file() for link in files)
    submission = classroom.gradebook.find_submission_notebook("one", "hw", "cid")
    assert f"http://localhost:8888/formgrader/submissions/{submission.id}" in links


@pytest.mark.parametrize("address", ["javascript:alert(1)", "localhost:8888", "/formgrader"])
def test_an_address_that_is_none_is_refused(classroom, address):
    with pytest.raises(ValueError, match="expected one that begins with http"):
        write_report(classroom.course, "hw", formgrader=address)


def test_nothing_of_a_student_acts_in_the_page(hostile_class):
    found = elements(write_report(hostile_class.course, "hw").read_text("utf-8"))
    counts = {tag: sum(t == tag for t, _ in found) for tag in ("script", "style", "svg", "input")}
    assert counts == {"script": 1, "style": 1, "svg": 1 + len(ATTACKS), "input": 1}
    assert not {t for t, _ in found} & {"iframe", "img", "form", "object", "base", "link", "math"}
    for _, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert re.match(r"(#|\w+\.csv$|\.\./|$)", attributes.get("href") or "")


@pytest.mark.browser
def test_tables_sort_by_a_click_and_by_keyboard(visit, page):
    def look(page):
        table = page.get_by_role("region", name="Points of all students")
        names = lambda: table.locator("tbody th").all_inner_texts()  # noqa: E731
        seen = [names()]
        table.get_by_role("button", name="Total").click()
        seen.append(names())
        page.keyboard.press("Enter")
        seen.append(names())
        order = table.locator("th[aria-sort]").get_attribute("aria-sort")
        page.get_by_label("Show students").fill("ad")
        left = [row for row in table.locator("tbody tr").all() if row.is_visible()]
        return seen, order, [row.locator("th").inner_text() for row in left]

    seen, order, left = visit(page, look)
    assert [name.split()[0] for name in seen[1]] == ["ada", "=fay", "ben", "eve", "cid", "dan"]
    assert seen[2] == seen[1][::-1]
    assert order == "ascending"
    assert left == ["ada"]


@pytest.mark.browser
@pytest.mark.parametrize(("theme", "width"), [("light", 320), ("dark", 1280)])
def test_the_page_is_accessible_and_fits(visit, page, theme, width):
    def look(page):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        return violations(page), page.evaluate("document.documentElement.scrollWidth")

    found, wide = visit(page, look, color_scheme=theme, viewport={"width": width, "height": 800})
    assert found == []
    assert wide <= width


@pytest.mark.browser
def test_a_table_that_is_cut_off_has_a_shadow_at_its_edge(visit, page):
    """Taken from the pixels in the middle of the table's right edge, before and after scrolling."""

    def look(page):
        table = page.get_by_role("region", name="Points of all students")
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        clip = {"x": box["x"] + box["width"] - 6, "y": box["y"] + 3, "width": 6, "height": 120}
        before = page.screenshot(clip=clip)
        shadows = table.evaluate("e => getComputedStyle(e).backgroundAttachment")
        table.evaluate("e => { e.scrollLeft = e.scrollWidth }")
        return shadows, before != page.screenshot(clip=clip)

    shadows, changed = visit(page, look, viewport={"width": 320, "height": 800})
    assert shadows == "local, local, scroll, scroll"
    assert changed


@pytest.mark.browser
def test_a_class_of_none_has_a_page_too(visit, scratch):
    page = write_report(scratch.course, "hw")
    assert "Nobody has handed in yet." in text_of(page.read_text("utf-8"))
    assert visit(page, violations) == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3_660, "1 h 1 min"), (86_400 * 2 + 7_300, "2 d 2 h"),
     (86_401, "1 d")],
)  # fmt: skip
def test_time_spans_in_words(seconds, words):
    assert time_span(seconds) == words


# ------------------------------------------------------------ the command, and a large class


def test_the_command_writes_where_it_says(classroom):
    def run(*arguments):
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, "-m", "course_lib.grading.class_report", *arguments],
            cwd=classroom.root, check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=dict(os.environ) | {"PYTHONPATH": path},
        )  # fmt: skip

    done = run("hw")
    assert done.returncode == 0, done.stdout
    folder = classroom.root / "dist/report/hw"
    assert f"report: {folder / 'index.html'}" in done.stdout
    names = ["cells.csv", "index.html", "mistakes.csv", "remarks.csv", "scores.csv"]
    assert sorted(path.name for path in folder.iterdir()) == names
    missing = run("other")
    assert missing.returncode == 2
    assert "no assignment 'other'" in missing.stdout


def test_an_assignment_that_is_not_graded_yet_is_told(scratch):
    with pytest.raises(CourseError, match="no assignment"):
        write_report(scratch.course, "other")
    assert not (scratch.root / "dist").exists()


def test_a_large_class_takes_seconds(scratch):
    many = {f"s{n:04}": {"one": one(n % 5, MASK), "two": two(n % 11)} for n in range(1_000)}
    scratch.hand_in_all(many)
    started = time.process_time()
    page = write_report(scratch.course, "hw")
    assert time.process_time() - started < 15
    assert "1000 of 1000" in text_of(page.read_text("utf-8"))
