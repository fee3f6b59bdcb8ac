"""However much was handed in, and whatever it is, a page is written soon and is of bounded size."""

from __future__ import annotations

import html
import json
import re
import time

import pytest
from nbformat import from_dict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course_lib.grading.feedback import render_page
from course_lib.grading.feedback.clean import clean_html
from course_lib.grading.feedback.code import code
from course_lib.grading.feedback.preprocessors import CleanPage, ShowPublicForm
from course_lib.grading.feedback.prose import heading, prose
from course_lib.grading.feedback.room import LEFT_OUT, PICTURES, TEXT
from tests.grading.feedback.conftest import PNG, graded_notebook, marks_of, text_of
from tests.grading.marks.scratch_course import cell

BOUND = 5.0  # seconds of CPU time, for what takes a small part of one
UNITS = (
    " ", "\t", "\n", "  \n", "\r", "\u2028", "\u00a0", "#", "# ", "!", "[", "](", "`", "```\n",
    '"""', "'''", "'", "'\\", "\\", "1", "1.", ".", "f'", "<", "<a ", "<!--", "*", "_", "$", "|",
)  # fmt: skip


def page_with(*cells) -> str:
    notebook = graded_notebook()
    notebook["cells"] += cells
    return render_page(notebook, marks_of(), "hw")


def stream(text: str) -> dict:
    return {"output_type": "stream", "name": "stdout", "text": text}


# ---------------------------------------------------------------- one text


@pytest.mark.parametrize("tail", [" " * 1_000_000 + "x", "# " * 500_000, "<" * 1_000_000])
def test_a_heading_of_any_length_is_read_at_once(tail: str):
    start = time.process_time()

    title = heading("# a" + tail)

    assert time.process_time() - start < BOUND
    assert title.startswith("a")
    assert len(title) <= 120


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A title", "A title"),
        ("# A title ##  ", "A title"),
        ("  ## `f` *and* <b>g</b>", "f and g"),
        ("# one\n\ntext\n\n### two", "two"),
        ("#tag", ""),
        ("```\n# no heading\n```", ""),
    ],
)
def test_the_last_heading_is_the_title(text: str, title: str):
    assert heading(text) == title


def test_no_repeated_text_takes_long():
    start = time.process_time()

    for unit in UNITS:
        for beginning in ("", "x\n", "# "):
            text = beginning + unit * (19_990 // len(unit)) + "x"
            code(text)
            prose(text)
            heading(text)

    assert time.process_time() - start < 6 * BOUND


def test_pictures_described_by_pictures_are_no_work():
    start = time.process_time()

    clean_html(f'<img alt="{"<img " * 19_000}" src="data:image/png;base64,{PNG}">' * 20)

    assert time.process_time() - start < BOUND


def test_a_picture_that_may_not_be_shown_leaves_its_description():
    assert clean_html('<img src="http://x.org/a" alt="a cat">') == "a cat"
    assert clean_html("<img>") == ""
    assert "data:image/png" in clean_html(f'<img src="data:image/png;base64,{PNG}" alt="a">')


# ---------------------------------------------------------------- code


def test_words_of_code_are_told_apart():
    shown = code("def f(x):  # why\n    return x not in 'a b', 1.5e-3, x1")

    assert re.findall(r"<i>(.*?)\s*</i>", shown) == ["# why"]
    assert re.findall(r"<q>(.*?)</q>", shown) == ["'a b'"]
    assert re.findall(r"<u>(.*?)</u>", shown) == ["1.5e-3"]
    assert "not in" in shown


@pytest.mark.parametrize("source", ['"""open\n# not <a> comment', "'it\nx = 1", "r'\\", "#", "1.e"])
def test_code_loses_nothing_by_its_colours(source: str):
    plain = re.sub("</?[biqu]>", "", code(source))

    assert html.unescape(plain) == source


# ---------------------------------------------------------------- one page


def test_a_page_of_blank_lines_is_written_soon():
    source = "x\n" + "  \n" * 6_600 + "x"
    start = time.process_time()

    page = page_with(*(cell("code", f"{source} = {n}") for n in range(2_000)))

    assert time.process_time() - start < 4 * BOUND
    assert LEFT_OUT in page


def test_a_page_of_odd_headings_is_written_soon():
    cells = [cell("text", f"# {n}" + "\u00a0" * 19_900 + "x") for n in range(100)]
    start = time.process_time()

    page_with(*cells)

    assert time.process_time() - start < 4 * BOUND


def test_many_outputs_make_no_long_page():
    cells = [cell("code", f"print({n})", outputs=[stream("x" * 4_000)] * 20) for n in range(200)]

    page = page_with(*cells)

    assert len(page) < 2 * TEXT
    assert LEFT_OUT in text_of(page)
    assert "The causal mask is missing" in page  # what was graded has its own room


def test_many_small_outputs_make_no_long_page():
    page = page_with(cell("code", "loop()", outputs=[stream("x")] * 100_000))

    assert len(page) < 2 * TEXT
    assert LEFT_OUT in text_of(page)


def test_many_pictures_make_no_long_page():
    picture = PNG.rstrip("=").ljust(1_000_000, "A")
    output = {"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}}

    page = page_with(*(cell("code", f"draw({n})", outputs=[output]) for n in range(40)))

    assert len(page) < PICTURES + TEXT
    assert page.count("Picture that this cell drew") > 1
    assert LEFT_OUT in text_of(page)


def test_an_ordinary_page_leaves_nothing_out():
    cells = [cell("code", f"print({n})", outputs=[stream("x" * 500)]) for n in range(100)]

    assert LEFT_OUT not in page_with(*cells)


def test_a_long_text_says_how_much_of_it_is_missing():
    assert "(5,000 more characters)" in prose("x" * 25_000)


# ---------------------------------------------------------------- nbgrader's own page


def by_nbgrader(*cells):
    """The notebook that nbgrader's template is given."""
    notebook = from_dict(graded_notebook())
    notebook["cells"] += [from_dict(one) for one in cells]
    for preprocessor in (ShowPublicForm, CleanPage):
        notebook, _ = preprocessor().preprocess(notebook, {"nbgrader": {}})
    return notebook


@pytest.mark.parametrize("unit", ["  \n", "\n", " ", "'", '"', "#\n", "1.", "(", "\\", "a "])
def test_code_of_nbgraders_page_is_coloured_soon(unit: str):
    cells = [cell("code", "x\n" + unit * (19_000 // len(unit)) + f"{n}") for n in range(3)]
    start = time.process_time()

    for one in by_nbgrader(*cells).cells[-3:]:
        highlight(one.source, PythonLexer(), HtmlFormatter())

    assert time.process_time() - start < BOUND


def test_nbgraders_page_is_bounded_too():
    cells = [
        cell("code", f"print({n})" + "  # more" * 500, outputs=[stream("x" * 4_000)] * 20)
        for n in range(200)
    ]

    made = by_nbgrader(*cells, *(cell("text", f"{n} " + "a" * 19_000) for n in range(200)))

    assert len(json.dumps(made)) < 3 * TEXT
    assert json.dumps(made).count(LEFT_OUT) > 100


def test_nbgraders_page_of_an_ordinary_notebook_leaves_nothing_out():
    source = "def f():\n\n\n    return 1"

    made = by_nbgrader(cell("code", source, outputs=[stream("x" * 3_000)]))

    assert made.cells[-1].source == source
    assert LEFT_OUT not in json.dumps(made)
