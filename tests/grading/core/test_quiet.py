"""What has nothing to show is seen at a glance; what is odd is never taken for it."""

import json

import pytest

from course_lib.grading.judge.quiet import LARGEST, is_quiet
from course_lib.grading.template import read_template
from tests.grading.core.judged import answered, as_bytes, checked, given, hidden, solution

SETUP = "%matplotlib inline\nimport numpy as np\nRATE = 0.5\nnp.random.seed(3)"
CELLS = [
    given(SETUP),
    solution("a", "def f(x):\n    return x"),
    checked("t", "assert f(1) == 1\n" + hidden("assert f(2) == 2")),
]


def quiet(answer, cells=CELLS, packages=("numpy",)):
    template = read_template(json.loads(as_bytes(cells)))
    return is_quiet(as_bytes(answered(cells, {"a": answer})), template, packages)


@pytest.mark.parametrize(
    "answer",
    [
        "def f(x):\n    return x",
        "import math\nfrom numpy import array as a\n# mine",
        "@staticmethod\ndef f(\n    x,\n):\n    pass",
        "class A:\n    pass\n\nasync def g():\n    pass",
        "",
    ],
)  # fmt: skip
def test_definitions_are_quiet(answer):
    assert quiet(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "print(1)", "f = lambda x: x", "1 + 1", "def f(x):\n    return x\nf(3)", "import scipy",
        "%time 1", "!ls", "raise ValueError", "x", "'text'", "plt.plot([1])", "\u00e9 = print(1)",
    ],
)  # fmt: skip
def test_what_may_show_or_raise_is_not(answer):
    assert not quiet(answer)


def test_a_test_that_students_see_whole_is_run():
    assert not quiet("def f(x):\n    return x", [*CELLS, checked("seen", "assert f(3) == 3")])


def test_setup_that_shows_something_is_run():
    assert not quiet("def f(x):\n    return x", [given("print('hello')"), *CELLS])


def test_nothing_handed_in_has_nothing_to_show():
    assert is_quiet(None, read_template(json.loads(as_bytes(CELLS))), ("numpy",))


@pytest.mark.parametrize(
    "file",
    [
        b"", b"{", b"[]", b"null", b"7", b'{"cells": 3}', b'{"cells": [3]}', b'{"cells": [{}]}',
        b'{"cells": [{"cell_type": "code", "source": 5}, {"cell_type": "code", "source": [5]}]}',
        b"[" * 100_000, b"\xff\xfe", b" " * (LARGEST + 1), b'{"cells": "code"}', b"9" * 10_000,
    ],
)  # fmt: skip
def test_odd_files_are_not_judged_at_a_glance(file):
    assert not is_quiet(file, read_template(json.loads(as_bytes(CELLS))), ())
