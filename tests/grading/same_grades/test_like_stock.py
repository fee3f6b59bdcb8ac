"""What a test sees of a student's function is what it would see without a wall."""

from __future__ import annotations

import pytest

from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from course_lib.grading.result import CellScore
from tests.grading.same_grades import corpus


def scores(source: str, answers: str, modes: dict[str, str] | None = None) -> dict[str, CellScore]:
    """Grade answers by a source, both in the form of the corpus."""
    notebook = corpus.source_notebook(source)
    submission = corpus.hand_in(notebook, corpus.parts(answers))
    job = Job(
        corpus.dump(notebook).encode(),
        corpus.dump(submission).encode(),
        modes=tuple((modes or {}).items()),
    )
    return {cell.grade_id: cell for cell in grade_job(job).cells}


PRINTED = """\
# %% solution greet
def greet(name):
    print("Hello", name)
# %% test redirected 1
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as said:
    greet("Ada")
assert said.getvalue() == "Hello Ada\\n"
# %% test captured 1
from IPython.utils.capture import capture_output
with capture_output() as said:
    greet("Grace")
assert said.stdout == "Hello Grace\\n"
# %% test on_stderr 1
with contextlib.redirect_stderr(io.StringIO()) as said:
    greet("Ada")
assert said.getvalue() == ""
"""


def test_a_test_may_read_what_a_function_prints():
    right = scores(PRINTED, '# %% greet\ngreet = lambda name: print("Hello", name)')
    assert [cell.score for cell in right.values()] == [1, 1, 1]
    wrong = scores(PRINTED, "# %% greet\ndef greet(name):\n    return 'Hello ' + name")
    assert [cell.score for cell in wrong.values()] == [0, 0, 1]


COUNTER = """\
# %% solution counter
def make_counter(step):
    total = 0
    def counter():
        nonlocal total
        total += step
        return total
    return counter
# %% test counter_test 1
first, second = make_counter(1), make_counter(10)
assert [first(), first(), second(), first()] == [1, 2, 10, 3]
"""


def test_a_function_that_a_function_returns_can_be_called():
    good = "# %% counter\ndef make_counter(step):\n    from itertools import count\n"
    good += "    return count(step, step).__next__"
    assert scores(COUNTER, good)["counter_test"].score == 1
    shared = "# %% counter\nn = [0]\ndef make_counter(step):\n    def counter():\n"
    shared += "        n[0] += step\n        return n[0]\n    return counter"
    assert scores(COUNTER, shared)["counter_test"].score == 0
    number = scores(COUNTER, "# %% counter\ndef make_counter(step):\n    return step")
    assert "not callable" in number["counter_test"].reason


IMPORTS = """\
# %% solution fourth
def fourth(x):
    return x
# %% test fourth_test 1
from itertools import islice
assert fourth(range(9)) == 3
### BEGIN HIDDEN TESTS
from string import ascii_lowercase
assert fourth(list(ascii_lowercase)) == "d"
### END HIDDEN TESTS
"""


def test_an_answer_may_use_what_a_visible_test_imports():
    used = "# %% fourth\ndef fourth(x):\n    return next(islice(x, 3, None))"
    assert scores(IMPORTS, used)["fourth_test"].score == 1


def test_an_answer_finds_nothing_that_a_hidden_line_imports():
    peeking = "# %% fourth\ndef fourth(x):\n    return 3 if len(x) == 9 else ascii_lowercase[3]"
    assert scores(IMPORTS, peeking)["fourth_test"].score == 0


BASES = """\
# %% solution values
numbers = [1, 2]
ratio = 0.5
# %% test values_test 1
assert numbers == [1, 2] and ratio == 0.5 and ratio + 1 == 1.5
"""


@pytest.mark.parametrize(
    "answer",
    [
        "class Mine(list): pass\nnumbers = Mine([1, 2])\nratio = 1 / 2",
        "from fractions import Fraction\nnumbers = [Fraction(2, 2), 2]\nratio = Fraction(1, 2)",
        "from decimal import Decimal\nnumbers = [Decimal(1), 2]\nratio = Decimal('0.50')",
        "from enum import IntEnum\nN = IntEnum('N', 'A B')\nnumbers = list(N)\nratio = 0.5",
        "class F(float): pass\nnumbers = [F(1), 2]\nratio = F(0.5)",
    ],
)
def test_a_value_may_be_of_a_kind_that_equals_a_plain_one(answer):
    assert scores(BASES, f"# %% values\n{answer}")["values_test"].score == 1


TASK = """\
# %% manual why 1
Because.
# %% task drawing 2
Draw it.
"""


def test_a_task_waits_for_a_person_whatever_was_handed_in():
    found = scores(TASK, "# %% why\nYOUR ANSWER HERE")
    assert {name: (cell.score, cell.status) for name, cell in found.items()} == {
        "why": (0.0, "unanswered"),
        "drawing": (None, "manual"),
    }


MAGICS = """\
# %% setup
%matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
# %% solution total
def total(x):
    return np.sum(x)
# %% test total_test 1
%matplotlib inline
assert total(np.ones(3)) == 3
"""


def test_a_cell_goes_on_after_matplotlib_inline():
    answer = "# %% total\n%matplotlib inline\nplt.plot([1])\nplt.show()\ntotal = np.sum"
    assert scores(MAGICS, answer)["total_test"].score == 1


HIDDEN = """\
# %% solution double
def double(x):
    return 2 * x
# %% test double_test 1
### BEGIN HIDDEN TESTS
assert double(21) == 42
### END HIDDEN TESTS
"""


def test_a_figure_is_shown_before_and_after_hidden_tests():
    plot = "import matplotlib.pyplot as plt\nplt.plot([double(n) for n in range(3)])\nplt.show()"
    notebook = corpus.source_notebook(HIDDEN)
    answer = f"# %% double\ndef double(x):\n    return x + x\n# %% +\n{plot}\n"
    submission = corpus.hand_in(notebook, corpus.parts(answer))
    submission["cells"].append(
        corpus.hand_in(notebook, corpus.parts(f"# %% +\n{plot}"))["cells"][0]
    )
    result = grade_job(Job(corpus.dump(notebook).encode(), corpus.dump(submission).encode()))
    figures = [
        [output["data"] for output in cell["outputs"]]
        for cell in result.notebook["cells"]
        if cell["source"] == plot
    ]
    assert len(figures) == 2
    for (data,) in figures:
        assert set(data) == {"image/png", "text/plain"}


def test_matplotlib_inline_brings_figures_back_after_another_backend():
    switched = "import matplotlib.pyplot as plt\nplt.switch_backend('agg')\nplt.plot([1])"
    plot = "%matplotlib inline\nplt.figure()\nplt.plot([1])"
    notebook = corpus.source_notebook(HIDDEN)
    submission = corpus.hand_in(notebook, corpus.parts(f"# %% +\n{switched}\n# %% +\n{plot}"))
    result = grade_job(Job(corpus.dump(notebook).encode(), corpus.dump(submission).encode()))
    shown = {
        cell["source"]: [kind for output in cell["outputs"] for kind in output.get("data", {})]
        for cell in result.notebook["cells"]
    }
    assert "image/png" in shown[plot]
