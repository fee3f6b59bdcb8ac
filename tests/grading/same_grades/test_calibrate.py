"""An instructor's notebook is tried on itself, and what is in its way is said before the batch."""

from __future__ import annotations

import pytest

from course_lib.grading.arguments_after import looks_at_arguments
from course_lib.grading.calibrate import Calibration, calibrate
from course_lib.grading.settings import Settings
from course_lib.grading.template import Delimiters
from tests.grading.same_grades import corpus


def tried(source: str) -> Calibration:
    notebook = corpus.dump(corpus.source_notebook(source))
    return calibrate(notebook.encode(), Settings(), Delimiters())


SORTING = """\
# %% solution sort
def sort(numbers):
    ### BEGIN SOLUTION
    numbers.sort()
    ### END SOLUTION
# %% test sort_test 2
cases = [[2, 1], [3, 1, 2]]
sort(cases[1])
if cases[1] != [1, 2, 3]:
    raise AssertionError("sort in place")
"""


def test_a_test_that_needs_changed_arguments_gets_them():
    found = tried(SORTING)
    assert found.modes == (("sort_test", "judge-in-place"),)
    assert found.problems == ()
    assert "sort_test needs what an answer did to its arguments" in found.notes[0]


ITERATOR = """\
# %% solution evens
def evens():
    ### BEGIN SOLUTION
    yield from (0, 2)
    ### END SOLUTION
# %% test evens_test 2
### BEGIN HIDDEN TESTS
assert list(evens()) == [0, 2]
### END HIDDEN TESTS
"""


def test_a_test_of_a_live_object_is_named_with_the_tag_it_needs_and_what_that_means():
    (problem,) = tried(ITERATOR).problems
    assert "The test evens_test gives the instructor's own answers 0 of 2: " in problem
    assert "a generator" in problem
    assert "cell tag judge-live" in problem
    assert "can read the cell's hidden lines" in problem


WRONG = """\
# %% solution one
### BEGIN SOLUTION
one = 2
### END SOLUTION
# %% test one_test 2
assert one == 1
# %% test two_test 3
points = 2
points
"""


def test_a_wrong_answer_of_the_instructors_is_no_matter_of_tags():
    found = tried(WRONG)
    assert found.modes == ()
    one, two = found.problems
    assert one == (
        "The test one_test gives the instructor's own answers 0 of 2: This test did not pass: "
        "assert one == 1. No cell tag helps: mend the answer or the test."
    )
    assert "answers 2 of 3: the cell's last value is 2. No cell tag helps" in two
    (note,) = found.notes
    assert "two_test gives 2 of 3 to the notebook as it is handed out" in note


@pytest.mark.parametrize(
    ("source", "looks"),
    [
        ("x = [2, 1]\nassert f(x) is None\nassert x == [1, 2]", True),
        ("x = a()\nkept = x.copy()\nf(x)\nnp.testing.assert_array_equal(x, kept)", True),
        ("for x in cases:\n    f(x)\n    self.assertEqual(x, sorted(x))", True),
        ("x = 3\nassert f(x) == 4", False),
        ("x = a()\ny = f(x)\nassert close(y, 2 * x)", False),
        ("x = a()\ny = f(x)\nassert y.shape == x.shape\nassert (y == 2 * x).all()", False),
        ("x = a()\ny = f(x)\nassert close(y, 2 * x)\nassert x.sum() == 3", False),
        ("assert x == 1\ng(x)", False),
        ("f(x", False),
    ],
)
def test_what_counts_as_looking_at_an_argument(source, looks):
    assert looks_at_arguments(source, {"f"}) is looks
