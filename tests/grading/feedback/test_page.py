"""What a student reads, and what never stands on a page."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import asdict

import pytest

from course_lib.grading.feedback import render_page
from course_lib.grading.feedback.formula import ATTRIBUTES, ELEMENTS, mathml
from course_lib.grading.feedback.prose import prose
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


def test_a_grade_by_hand_is_shown_as_what_replaced_the_automatic_one(graded):
    marks = dict(marks_of().marks) | {"g": Mark("g", 1.5, 2, 0.0, 1.5)}
    words = text_of(render_page(graded, marks_of(marks=marks)))
    assert "Graded by hand: 1.5 of 2 points. That replaced the automatic grade, 0 of 2" in words
    assert words.index("Graded by hand") < words.index("It was stopped after 10 s.")
    assert "Graded by hand" not in text_of(render_page(graded, marks_of()))


def test_the_students_name_is_beside_the_id(graded):
    words = text_of(render_page(graded, marks_of(name="Ada <b>Lovelace"), "hw"))
    assert "hw · ada · Ada <b>Lovelace" in words


def test_an_error_is_named_in_the_list_of_points(graded):
    reason = "Your code raised SyntaxError: invalid syntax (line 2 of your g_answer: x = (])"
    score = asdict(CellScore("g", "code", 0.0, 2, "failed", reason))
    graded["cells"][7]["metadata"]["judge"] = {"score": score, "public": []}
    words = text_of(render_page(graded, marks_of()))
    assert "2 · A loop not right yet SyntaxError in your answer" in words


def test_an_answer_that_was_not_found_is_only_said_to_be_so(graded):
    """The stub and what the check says of it would look like the student's own."""
    told = CellScore("g", "code", 0.0, 2, "missing", "The answer cell g_answer is missing from "
                     "the notebook.")  # fmt: skip
    report = {"output_type": "execute_result", "data": {"text/html": "<p>Not written yet</p>"},
              "metadata": {}}  # fmt: skip
    graded["cells"][7]["metadata"]["judge"] = {"score": asdict(told), "public": [report]}
    graded["cells"][6]["source"] = "raise NotImplementedError  # stub of g"
    words_of = CellScore("why", "markdown", 0.0, 3, "missing", "Not answered yet.")
    graded["cells"][9] |= {"source": "No response."}
    graded["cells"][9]["metadata"]["judge"] = {"score": asdict(words_of)}
    marks = dict(marks_of().marks) | {"why": Mark("why", 0, 3, 0.0)}
    words = text_of(render_page(graded, marks_of(marks=marks)))
    for wrong in (
        "stub of g",
        "Not written yet",
        "No response",
        "Not answered yet",
        "is missing from",
    ):
        assert wrong not in words
    assert words.count("not found in your file") == 5  # twice in the list, thrice below
    assert "return x # mine" in words


def test_one_of_two_answers_that_was_not_found_is_said_to_be_so(graded):
    graded["cells"][3]["source"] = "raise NotImplementedError  # stub of f"
    text = "There is no cell for f_answer, other_answer."
    graded["metadata"]["judge"]["remarks"] = [{"kind": "missing_answer", "text": text}]
    words = text_of(render_page(graded, marks_of()))
    assert "stub of f" not in words
    assert "Your answer ✗ not found in your file" in words
    assert "The causal mask is missing" in words
    assert text not in words


@pytest.mark.parametrize("kind", ["unknown_format", "odd_cell_ids", "other_tool"])
def test_what_a_student_can_do_nothing_about_is_not_told(graded, kind):
    remarks = graded["metadata"]["judge"]["remarks"]
    remarks.append({"kind": kind, "text": "Something inside.", "needs_look": False})
    words = text_of(render_page(graded, marks_of()))
    assert "Something inside." not in words
    assert "A cell was moved." in words


def test_a_missing_file_is_not_called_empty(graded):
    said = {"missing_file": "There is no nb.ipynb.", "empty_file": "The file is empty."}
    graded["metadata"]["judge"]["remarks"] = [{"kind": k, "text": t} for k, t in said.items()]
    words = text_of(render_page(graded, marks_of()))
    assert "There is no nb.ipynb." in words
    assert "The file is empty." not in words


def test_nobody_is_told_to_have_deleted_what_a_damaged_file_has_lost(graded):
    said = {"broken_json": "The file is cut short.", "missing_test": "Cells were deleted: f."}
    graded["metadata"]["judge"]["remarks"] = [{"kind": k, "text": t} for k, t in said.items()]
    words = text_of(render_page(graded, marks_of()))
    assert "The file is cut short." in words
    assert "Cells were deleted" not in words


def test_the_way_to_the_next_notebook_is_left_out():
    made = notebook(
        cell("text", "## 1 · Words\n\nWhy?"),
        cell("written", "So.", "why", 3),
        cell("text", "Next: [Exercises 2](exercises_2.ipynb)."),
    )
    words = text_of(render_page(made, marks_of(marks={"why": Mark("why", 3, 3, 3.0)})))
    assert "Next:" not in words
    assert words.count("The question") == 1


def test_points_are_not_said_a_third_time_by_the_report(graded):
    words = text_of(render_page(graded, marks_of()))
    assert "1 of 4" in words
    assert "f: 1 of 4 points" not in words
    marks = dict(marks_of().marks) | {"f": Mark("f", 3, 4, 1.0, 3.0)}
    assert "f: 1 of 4 points" in text_of(render_page(graded, marks_of(marks=marks)))


def test_formulas_are_set(graded):
    pytest.importorskip("latex2mathml")
    page = render_page(graded, marks_of(comments={"f_answer": r"Divide by $\sqrt{d_k}$."}))
    assert "<msub><mi>d</mi><mi>k</mi></msub>" in page
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in page
    assert "<msqrt>" in page


@pytest.mark.parametrize(
    "tex", [r"\unknown{x}", r"\frac", r"\newcommand{\a}{\a\a}\a", "x" * 2_000, "{" * 900]
)
def test_what_cannot_be_set_stays_readable_as_tex(graded, tex):
    graded["cells"][0]["source"] = f"Read ${tex}$ first."
    assert f"<var>{tex}</var>" in render_page(graded, marks_of())


def test_formulas_stay_tex_without_a_converter(graded, monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    mathml.cache_clear()
    prose.cache_clear()
    page = render_page(graded, marks_of())
    mathml.cache_clear()
    prose.cache_clear()
    assert "<var>d_k</var>" in page
    assert "<var>x^2</var>" in page


@pytest.mark.parametrize(
    "text",
    [
        "<math><mi>x</mi></math>",
        "$$<math><mi>x</mi></math>$$",
        r"$\text{<math><mi>x</mi></math>}$",
        r"$\href{https://example.org/}{x}$",
        r"$\style{position:fixed}{x}$",
        r"$\class{total}{x}$",
        r'$\color{red" onclick="hit()}x$',
        r"$\hspace{900em}x \rule{900em}{900em}$",
    ],
)
def test_formulas_bring_in_nothing_but_formulas(text):
    html = prose(text)
    for tag, attributes in elements(html):
        assert tag in ELEMENTS | {"p", "div", "span", "var"}
        assert attributes.keys() <= ATTRIBUTES | {"class", "tabindex"}
        assert attributes.get("class", "formula") == "formula"
        assert "900" not in str(attributes)
    if text.startswith("<math"):
        assert "<math" not in html


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


@pytest.mark.browser
def test_code_keeps_its_lines_on_a_narrow_screen(visit, tmp_path):
    graded = graded_notebook()
    line = "    return " + " + ".join(f"name_{n}" for n in range(20))
    graded["cells"][3]["source"] = f"def f(x):\n{line}"
    file = tmp_path / "page.html"
    file.write_text(render_page(graded, marks_of(), "hw"), "utf-8")

    def look(page):
        code = page.locator(".answer pre").first
        return code.evaluate(
            "e => [e.scrollWidth > e.clientWidth, e.clientHeight < 80, e.tabIndex,"
            " document.documentElement.scrollWidth]"
        )

    assert visit(file, look, viewport={"width": 360, "height": 800}) == [True, True, 0, 360]
