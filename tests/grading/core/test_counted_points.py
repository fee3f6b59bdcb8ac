"""Where a test counts points its result must be a number; what is none gives none."""

import pytest

from course_lib.grading.judge.scoring import counts_points
from tests.grading.core.judged import checked, judged, scores, solution

RIGHT = "import numpy as np\ndef cube(x):\n    return x**3"
COUNTED = """score = 0
for x in [0, 1, 2, 3]:
    score += 0.75 * (cube(x) == x**3)
score"""
SUM = "sum(cube(x) == x**3 for x in [0, 1, 2])"
WORKED_OUT = "wrong = abs(cube(2) - 8)\n3 - wrong"


@pytest.mark.parametrize("test", [COUNTED, SUM, WORKED_OUT])
@pytest.mark.parametrize(
    ("returned", "most"),
    [
        ("np.array([0, 0])", 0),
        ("np.array([], float)", 0),
        ("np.array(['NaT'], 'm8[s]')", 0),
        ("np.zeros((2, 2))", 0),
        ("np.zeros(1)", 1),  # the number in it: cube(0) is right
        ("np.array([[7.0]])", 2),
        ("'text'", 0),
    ],
)
def test_what_is_no_number_earns_nothing_where_points_are_counted(test, returned, most):
    cells = [solution("a", RIGHT), checked("t", test, 3)]
    wrong = f"import numpy as np\ndef cube(x):\n    return {returned}"
    assert scores(judged(cells))["t"] == 3
    assert scores(judged(cells, {"a": wrong}))["t"] <= most


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        (COUNTED, True), (SUM, True), (WORKED_OUT, True), ("p = sum(x)\np", True), ("2.5", True),
        ("assert x\nx", False), ("f(x)", False), ("np.zeros(3)", False),
        ("x = f(3)\nassert x\nx", False), ("", False), ("(", False), ("print(3)", False),
    ],
)  # fmt: skip
def test_a_last_line_that_counts(source, counts):
    assert counts_points(source) is counts
