"""What a student reads, and what never stands on a page."""

from __future__ import annotations

import re
import time

import pytest

from course_lib.grading.feedback import render_page
from course_lib.grading.marks import Mark
from course_lib.grading.result import CellScore
from course_lib.grading.template import Delimiters
from tests.grading.feedback.conftest import (
    PNG,
    SECRETS,
    elements,
    graded_notebook,
    marks_of,
    text_of,
)
from tests.grading.marks.browser import violations
from tests.grading.marks.scratch_course import cell, notebook


@pytest.fixture
def page(graded):
    return render_page(graded, marks_of(), "hw")


@pytest.mark.parametrize("place", SECRETS)
def test_no_secret_is_on_the_page(page, place):
    assert SECRETS[place] not in page


def test_the_public_form_of_a_hidden_output_is_shown(page):
    assert "A hidden test failed." in text_of(page)


def test_an_error_without_a_public_form_is_only_told_of(page):
    """As stock nbgrader leaves it: the traceback quotes hidden lines."""
    assert "This test failed." in text_of(page)


def test_the_visible_lines_of_a_test_are_shown(page):
    assert "assert f(1) == 1" in text_of(page)
    assert "assert f(0) == 0" in text_of(page)


@pytest.mark.parametrize("unclosed", ["### BEGIN HIDDEN TESTS", "# begin hidden tests"])
def test_an_unclosed_hidden_region_runs_to_the_end(unclosed):
    made = notebook(cell("test", f"assert 1\n{unclosed}\nassert SECRET_TEST_LINE", "t", 1))
    assert "SECRET" not in render_page(made, marks_of(marks={"t": Mark("t", 1, 1)}))


def test_a_course_may_have_marks_of_its_own():
    made = notebook(cell("test", "assert 1\n# <<<\nassert SECRET\n# >>>\nassert 2", "t", 1))
    marks = Delimiters(begin_hidden="<<<", end_hidden=">>>")
    page = render_page(made, marks_of(marks={"t": Mark("t", 1, 1)}), delimiters=marks)
    assert "SECRET" not in page
    assert "assert 2" in text_of(page)


def test_points_by_part_and_in_all(page):
    words = text_of(page)
    assert "2 of 10 points so far" in words
    assert "A person has yet to grade answers worth 3 points." in words
    rows = re.findall(
        r'(?s)<li class="(\w+)">.*?href="#part\d+">([^<]*)<.*?"points">([^<]*)<', page
    )
    assert rows == [
        ("partial", "1 · Attention", "1/4"),
        ("limit", "2 · A loop", "0/2"),
        ("waiting", "3 · Words", "–/3"),
        ("passed", "3 · Words", "1/1"),
    ]


def test_every_link_in_the_overview_leads_to_a_part(page):
    ids = {attributes.get("id") for _, attributes in elements(page)}
    links = {a["href"][1:] for _, a in elements(page) if (a.get("href") or "").startswith("#")}
    assert links
    assert links <= ids


def test_mistakes_are_named_above_and_told_once_below(page):
    assert page.count("The causal mask is missing") == 2  # the overview, and the check's own report


def test_mistakes_without_a_report_are_told_by_the_page(graded):
    graded["cells"][4]["metadata"]["judge"]["public"] = []
    words = text_of(render_page(graded, marks_of()))
    assert "Row 0 sees position 3." in words
    assert "The mask is missing." in words


def test_the_limit_that_was_hit_is_named(page):
    words = text_of(page)
    assert "stopped at a limit (cpu time)" in words
    assert "It was stopped after 10 s." in words


def test_a_limit_without_a_reason_has_one(graded):
    graded["cells"][7]["metadata"]["judge"]["score"]["reason"] = ""
    assert "computed longer than is allowed" in text_of(render_page(graded, marks_of()))


def test_an_error_that_says_what_the_reason_says_is_not_shown_twice(graded):
    said = {"output_type": "error", "ename": "Stopped", "evalue": "It was stopped after 10 s.",
            "traceback": ["Stopped: It was stopped after 10 s."]}  # fmt: skip
    graded["cells"][7]["metadata"]["judge"]["public"] = [said]
    assert render_page(graded, marks_of()).count("It was stopped after 10 s.") == 1


def test_a_claim_of_the_judge_shows_no_traceback(graded):
    """Stock autograde keeps what a student wrote into the metadata of a test cell."""
    graded["cells"][7]["metadata"]["judge"] = {"own": True}
    assert SECRETS["traceback"] not in render_page(graded, marks_of())


def test_what_was_odd_about_the_file_is_told_once(graded):
    graded["metadata"]["judge"]["remarks"] *= 2
    words = text_of(render_page(graded, marks_of()))
    assert "About the file you handed in A cell was moved." in words
    assert words.count("A cell was moved.") == 1


def test_the_late_penalty_is_subtracted_and_told(graded):
    words = text_of(render_page(graded, marks_of(late_penalty=0.5)))
    assert "1.5 of 10 points so far" in words
    assert "2 for your answers, less 0.5 for handing in late." in words


def test_a_graders_points_and_words_come_before_the_judges(graded):
    marks = dict(marks_of().marks) | {"f": Mark("f", 4.5, 4, 1.0, 4.0, 0.5)}
    comments = {"f_answer": "Neat, **but** mind the mask."}
    page = render_page(graded, marks_of(marks=marks, comments=comments))
    words = text_of(page)
    assert "4.5 of 4, with 0.5 extra" in words
    assert "all right, graded by a person" in words
    assert "Neat, but mind the mask." in words
    assert "<strong>but</strong>" in page


def test_own_pictures_and_prints_are_shown(page):
    assert f'src="data:image/png;base64,{PNG}"' in page
    assert "hello red" in text_of(page)


def test_formulas_stay_readable_as_tex(page):
    assert "<var>d_k</var>" in page
    assert "<var>x^2</var>" in page


def test_a_page_of_stock_nbgrader_has_points_and_reports_too(graded):
    """Graded by somebody who has no judge: no word of it in the metadata."""
    graded["metadata"].pop("judge")
    for one in graded["cells"]:
        one["metadata"].pop("judge", None)
    words = text_of(render_page(graded, marks_of()))
    assert "2 of 10 points so far" in words
    assert "partly right" in words
    assert "The causal mask is missing" in words
    assert "not right yet" in words


@pytest.mark.parametrize(
    ("status", "word"),
    [("unanswered", "not answered"), ("missing", "not found"), ("failed", "not right yet")],
)
def test_states_have_words(graded, status, word):
    from dataclasses import asdict

    score = asdict(CellScore("f", "code", 0.0, 4, status))
    graded["cells"][4]["metadata"]["judge"] = {"score": score}
    marks = dict(marks_of().marks) | {"f": Mark("f", 0, 4, 0.0)}
    assert word in text_of(render_page(graded, marks_of(marks=marks)))


def test_a_long_output_loses_its_middle():
    text = "begin " + "x" * 500_000 + " end"
    made = notebook(
        cell("code", "f()", outputs=[{"output_type": "stream", "name": "stdout", "text": text}])
    )
    page = render_page(made, marks_of(marks={}))
    assert "begin x" in page
    assert "x end" in page
    assert "characters left out" in page
    assert len(page) < 20_000


def test_a_hundred_pages_take_a_second_or_two(graded):
    started = time.process_time()
    for number in range(100):
        graded["cells"][3]["source"] = f"def f(x):\n    return x + {number}\n" * 20
        graded["cells"][9]["source"] = f"Because *d* is {number}." * 20
        render_page(graded, marks_of(student=f"s{number}"))
    assert time.process_time() - started < 5


def test_a_page_is_one_small_file(page):
    assert len(page.encode()) < 20_000
    for _, attributes in elements(page):
        assert not (attributes.get("src") or "data:").startswith("http")


@pytest.mark.browser
@pytest.mark.parametrize(("theme", "width"), [("light", 320), ("dark", 1280)])
def test_a_page_is_accessible_and_fits(visit, tmp_path, theme, width):
    file = tmp_path / "page.html"
    comments = {"f_answer": "Neat, but mind the [mask](https://example.org/)."}
    file.write_text(render_page(graded_notebook(), marks_of(comments=comments), "hw"), "utf-8")

    def look(page):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        wide = page.evaluate("document.documentElement.scrollWidth")
        return violations(page), wide

    found, wide = visit(file, look, color_scheme=theme, viewport={"width": width, "height": 800})
    assert found == []
    assert wide <= width
