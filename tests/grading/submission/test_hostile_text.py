"""A small file whose text is made to hold up the reading of it is read in no time."""

from __future__ import annotations

import io
import json
import time
import zipfile

import pytest

from course_lib.grading.submission import read_submission
from course_lib.grading.submission.candidates import as_code, as_text
from course_lib.grading.submission.cells import clean, parses
from course_lib.grading.submission.exports import notebook_in_zip
from course_lib.grading.submission.scripts import read_script
from tests.grading.mangled import good_bytes, template

TEMPLATE = template()
BOUND = 5.0  # seconds of CPU time, for what takes a small part of one
UNITS = (
    " ", "\t", "\n", " \n", "\r", "\u2028", "\u00a0", "#", "#!\n", "!", "%", "[", "](", "{ ", "`",
    "```\n", '"""', "'", "\\", "a,", "a:", "a=", "a ", "a? ", "# ---\n", "# %%\n", "<", "<div ",
)  # fmt: skip
BEGINNINGS = ("", "x", "# %%\n", "# ---\n", "# +\n", "```", "# In[1]:\n", "%%md")


def seconds(start: float) -> float:
    return time.process_time() - start


@pytest.mark.parametrize("line", ["#!\n", "#! \n", "#!#!\n", "# ---x\n", "#\n"])
def test_a_script_of_comment_lines_is_read_at_once(line: str):
    start = time.process_time()

    cells, _ = read_script(line * 60 + "# %%\nanswer = 41\n")
    read_script(line * (500_000 // len(line)) + "# %%\nanswer = 41\n")

    assert seconds(start) < BOUND
    assert cells[-1].source == "answer = 41"


def test_the_header_of_a_script_is_left_out():
    cells, words = read_script(
        "#!/usr/bin/env python\n# ---\n# title: x\n# ---\n\n# %%\nanswer = 41\n"
    )

    assert words == "in the percent format"
    assert [cell.source for cell in cells] == ["answer = 41"]


def test_a_mark_of_a_cell_inside_a_header_is_no_error():
    cells, _ = read_script("# %%\n# ---\n# ---\nanswer = 41\n")

    assert [cell.source for cell in cells] == ["answer = 41"]


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_no_repeated_text_takes_long(beginning: str):
    start = time.process_time()

    for unit in UNITS:
        text = beginning + unit * (20_000 // len(unit)) + "x"
        read_script(text)
        parses(text)
        clean(text + "\u00a0", "code")
        as_code(text)
        as_text(text)

    assert seconds(start) < 4 * BOUND


@pytest.mark.parametrize("source", [" " * 190_000 + "x", "\t " * 90_000 + "x", "a " * 90_000])
def test_a_line_of_blanks_is_no_work(source: str):
    cells = [{"cell_type": "code", "source": source}] * 3
    start = time.process_time()

    read_submission(json.dumps({"cells": cells}).encode(), TEMPLATE)

    assert seconds(start) < BOUND


def test_a_fence_of_blanks_is_no_work():
    start = time.process_time()

    as_code("```" + " " * 190_000 + "x")

    assert seconds(start) < BOUND


def test_magics_are_still_told_from_code():
    for source in ("%timeit f(1)", "  !ls", "x = %pwd", "y = !ls", "f.g?", "f??  ", "  ?f"):
        assert parses(f"if True:\n    pass\n{source.lstrip()}\n"), source
    assert not parses("x = = 1")


def test_many_text_cells_that_are_code_are_told_apart_at_once():
    cells = [{"cell_type": "markdown", "source": "x = 1"}] * 2_000
    start = time.process_time()

    read_submission(json.dumps({"cells": cells}).encode(), TEMPLATE)

    assert seconds(start) < 2 * BOUND


def test_a_marimo_notebook_with_a_deep_decorator_is_read():
    deep = "-" * 900 + "1"
    text = (
        f"import marimo\napp = marimo.App()\n@app.cell\ndef _():\n    x = 1\n@{deep}\ndef f(): 0\n"
    )

    cells, words = read_script(text)

    assert words == "a marimo notebook"
    assert [cell.source for cell in cells] == ["x = 1", "def f(): 0"]


# ---------------------------------------------------------------- archives

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def archive(method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        made.writestr("p1.ipynb", good_bytes())
    return file.getvalue()


@pytest.mark.parametrize("method", METHODS)
def test_an_archive_is_unpacked_whatever_its_method(method: int):
    assert notebook_in_zip(archive(method)) == good_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_archive_is_none(method: int):
    whole = archive(method)
    places = [*range(2, 120), *range(len(whole) - 120, len(whole))]
    for place in places:
        for byte in (0, 0x5D, 0xFF):
            data = bytearray(whole)
            data[place] = byte
            notebook_in_zip(bytes(data))  # a notebook or None: nothing is raised
    broken = bytearray(whole)
    broken[38:60] = b"\xff" * 22  # the name and the start of what is packed

    submission = read_submission(bytes(broken), TEMPLATE)

    assert not submission.answers
    assert [remark.kind for remark in submission.remarks] == ["no_notebook"]
