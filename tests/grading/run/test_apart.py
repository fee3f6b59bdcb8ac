"""Students' files are opened in a process with limits; what takes too much is not waited for."""

from __future__ import annotations

import json
import os
import time

import pytest

from course_lib.grading.run import apart as room
from course_lib.grading.run.apart import apart
from course_lib.grading.submission import find_notebooks
from course_lib.grading.submission.folder import TooMuch
from course_lib.grading.template import Delimiters, read_template
from tests.grading.mangled import good_bytes

TEMPLATE = read_template(json.loads(good_bytes()), Delimiters())


def test_what_a_function_returns_comes_back():
    assert apart(divmod, 17, 5) == (3, 2)
    assert apart(os.getpid) != os.getpid()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(time.sleep, (30,)), (pow, (3, 10**9)), (bytes, (2**31,)), (os._exit, (0,)), (os.abort, ())],
)
def test_what_takes_too_much_is_told(monkeypatch, function, arguments):
    monkeypatch.setattr(room, "SECONDS", 2.0)
    start = time.monotonic()
    with pytest.raises(TooMuch, match="too much time or memory"):
        apart(function, *arguments)
    assert time.monotonic() - start < 10


@pytest.fixture
def rivals(tmp_path):
    """Two files for one notebook: the rightly named one has no answer."""
    (tmp_path / "p1.ipynb").write_text('{"cells": [], "nbformat": 4}')
    (tmp_path / "p1 (2).ipynb").write_bytes(good_bytes())
    os.utime(tmp_path / "p1 (2).ipynb", (1, 1))
    return tmp_path


def test_rivals_are_compared_apart(rivals):
    called = []

    def watched(function, *arguments):
        called.append(function.__name__)
        return apart(function, *arguments)

    found = find_notebooks(rivals, ("p1",), {"p1": TEMPLATE}, watched)
    assert found.notebooks["p1"].path == rivals / "p1 (2).ipynb"
    assert called == ["count_answers"]


def test_where_they_cannot_be_compared_names_decide_and_a_person_looks(rivals):
    def refusing(*_):
        raise TooMuch("too much")

    found = find_notebooks(rivals, ("p1",), {"p1": TEMPLATE}, refusing).notebooks["p1"]
    assert found.path == rivals / "p1.ipynb"
    assert [remark.kind for remark in found.remarks if remark.needs_look] == ["several_files"]


def test_copies_and_single_files_are_not_opened(tmp_path):
    for name in ("p1.ipynb", "p1 (1).ipynb", "p1-2.ipynb"):
        (tmp_path / name).write_bytes(good_bytes())

    def never(*_):
        raise AssertionError("opened")

    assert find_notebooks(tmp_path, ("p1",), {"p1": TEMPLATE}, never).notebooks["p1"].path
