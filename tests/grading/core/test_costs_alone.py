"""What one exercise does costs that exercise: not those before it, and not those after."""

import struct
import time
from base64 import b64encode
from dataclasses import replace

import pytest

from course_lib.checks.tampering import means_of_tampering
from course_lib.grading.feedback.clean import png
from course_lib.grading.judge.assembly import safe_outputs
from course_lib.grading.judge.proxies import _has_form, output_size
from course_lib.grading.settings import Limits
from tests.grading.core.judged import SHORT, cell_of, checked, judged, scores, solution

HEAVY = "for _i in range(8 * 10**6): pass\ndef {0}(x):\n    return x"


@pytest.mark.parametrize(
    "harm", ["import os\nos._exit(0)", "while True: pass", "def e(x):\n    while True: pass"]
)
def test_answers_that_run_again_have_their_time_again(harm):
    """Three answers of about 0.4 s each, and 1 s for each exercise."""
    names = ["a", "b", "c"]
    cells = [solution(name, HEAVY.format(name)) for name in names]
    cells += [checked(f"t_{name}", f"assert {name}(1) == 1") for name in names]
    cells += [solution("e", "def e(x):\n    return x"), checked("t_e", "assert e(1) == 1")]
    cells += [checked(f"again_{name}", f"assert {name}(2) == 2") for name in names]
    found = scores(judged(cells, {"e": harm}))
    assert found.pop("t_e") == 0
    assert set(found.values()) == {1}


def test_a_test_that_no_alarm_can_end_costs_that_exercise_alone():
    """Numbers that all fall into one place of a set: one of Python's own loops in C."""
    short = replace(SHORT, limits=Limits(cpu_seconds=1.0, wall_seconds=1.0))
    cells = [
        solution("a", "def a(x):\n    return x"), checked("t_a", "assert set(a([1, 2])) == {1, 2}"),
        solution("b", "def b(x):\n    return x"), checked("t_b", "assert b(1) == 1"),
    ]  # fmt: skip
    colliding = "def a(x):\n    return [i * (2**61 - 1) for i in range(300_000)]"
    start = time.monotonic()
    result = judged(cells, {"a": colliding}, settings=short)
    assert scores(result) == {"t_a": 0, "t_b": 1}
    assert cell_of(result, "t_a").limit == "wall time"
    assert "did not come to an end" in cell_of(result, "t_a").reason
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("output", "has_form"),
    [
        ({"output_type": "stream", "name": "stdout", "text": "a"}, True),
        ({"output_type": "display_data", "data": {"text/plain": "a"}}, True),
        ({"output_type": "stream", "text": ["a" * 100]}, False),
        ({"output_type": "stream", "text": {"a": ["b"]}}, False),
        ({"output_type": "stream", "text": b"a"}, False),
        ({"output_type": "stream", "text": 10**400}, False),
        ({"data": {"image/png": ["a"]}}, False),
        ([], False), ("a", False), (None, False),
    ],
)  # fmt: skip
def test_what_an_output_is_made_of(output, has_form):
    assert _has_form(output) is has_form


def test_all_texts_of_an_output_count():
    assert output_size({"a": "xx", "text": "xxx", "data": {"b": "x", "c": "xxxx"}}) == 10


@pytest.mark.parametrize("source", ["%timeit " * 6000 + "x", "%time %timeit " * 3000 + "x"])
def test_magics_within_magics_take_no_time(source):
    start = time.process_time()
    assert means_of_tampering([f"if False:\n    {source}"])
    assert time.process_time() - start < 3


@pytest.mark.parametrize(("width", "height", "fits"), [(640, 480, True), (12000, 12000, False)])
def test_a_picture_that_no_page_can_show_is_left_out(width, height, fits):
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s2I", 13, b"IHDR", width, height) + b"rest"
    told = [{"output_type": "display_data", "data": {"image/png": b64encode(head).decode()}}]
    assert bool(safe_outputs(told, 10**6)) is fits
    assert bool(png(b64encode(head).decode())) is fits
