"""What the judge says about answers: right, wrong, broken, slow, greedy, chatty."""

import pytest

from course_lib.grading.errors import JudgeError
from course_lib.grading.grade import grade
from course_lib.grading.result import Result
from course_lib.grading.settings import Limits, Settings
from tests.grading.core.judged import (
    as_bytes,
    by_hand,
    cell_of,
    checked,
    given,
    graded_cell,
    hidden,
    judged,
    public,
    scores,
    solution,
)

COURSE = [
    given("import numpy as np\nscale = 2"),
    solution("double", "def double(x):\n    return scale * np.asarray(x)"),
    checked("test_double", "assert double(1) == 2, 'double(1) must be 2'\n"
            + hidden("assert double(2117) == 4234, 'not for students'")),
    solution("next", "def next_even(x):\n    return double(x) + 2\nlimit = 7"),
    checked("test_next", "assert next_even(1) == 4\nassert limit == 7, 'limit must be 7'"),
    checked("partial", "1.5 if next_even(0) == 2 else 0", 2),
    by_hand("words", "### BEGIN SOLUTION\nBecause.\n### END SOLUTION"),
]  # fmt: skip
FULL = {"test_double": 1, "test_next": 1, "partial": 1.5, "words": None}


def test_the_instructors_own_answers_get_full_marks():
    result = judged(COURSE)
    assert scores(result) == FULL
    assert not result.needs_look
    assert result.score == 3.5
    assert result.max_score == 6


def test_untouched_answers_get_nothing_and_are_called_unanswered():
    stub = "# YOUR CODE HERE\nraise NotImplementedError()"
    result = judged(COURSE, {"double": stub, "next": stub, "words": "YOUR ANSWER HERE"})
    assert set(scores(result).values()) == {0.0}
    assert {cell.status for cell in result.cells} == {"unanswered"}
    assert {cell.reason for cell in result.cells} == {"Not answered yet."}
    assert not any(cell.mistakes for cell in result.cells)


def test_a_failed_visible_assert_is_a_mistake_with_its_message():
    cell = cell_of(
        judged(COURSE, {"next": "def next_even(x): return double(x) + 2\nlimit = 6"}), "test_next"
    )
    assert (cell.score, cell.status, cell.reason) == (0.0, "failed", "limit must be 7")
    assert cell.mistakes[0].id == "assert:limit must be 7"


def test_an_exception_in_the_answer_is_told_with_its_line():
    cell = cell_of(
        judged(COURSE, {"next": "def next_even(x):\n    y = []\n    return y[x]"}), "test_next"
    )
    assert cell.reason.startswith("Your code raised IndexError")
    assert "line 3 of your cell next: return y[x]" in cell.reason


def test_a_syntax_error_is_told_and_not_the_missing_name():
    cell = cell_of(judged(COURSE, {"double": "def double(x:\n    return x"}), "test_double")
    assert "SyntaxError" in cell.reason
    assert "line 1 of your cell double" in cell.reason


def test_warnings_and_stderr_cost_nothing():
    noisy = (
        "import sys, warnings\ndef double(x):\n    warnings.warn('careful')\n"
        "    print('oops', file=sys.stderr)\n    return 2 * x"
    )
    result = judged(COURSE, {"double": noisy})
    assert scores(result) == FULL
    assert all(
        output.get("name") != "stderr"
        for cell in result.notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade")
        for output in cell.get("outputs", [])
    )


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("answer", "limit"),
    [
        ("def double(x):\n    while True: pass", "cpu time"),
        ("def double(x):\n    return sum(range(10**12))", "cpu time"),
        ("import time\ndef double(x):\n    time.sleep(60)", "wall time"),
        ("def double(x):\n    return np.ones(10**10)", "memory"),
        ("def double(x):\n    return np.broadcast_to(1.0, (10**5, 10**5))", "result size"),
        ("import os\ndef double(x):\n    os._exit(0)", "crash"),
        ("import ctypes\ndef double(x):\n    ctypes.string_at(0)", "crash"),
        ("while True: pass", "cpu time"),
    ],
)
def test_a_limit_is_named_and_the_other_exercises_are_graded(answer, limit):
    independent = "def next_even(x):\n    return 2 * x + 2\nlimit = 7"
    patient = Limits(cpu_seconds=0.5, wall_seconds=3 if limit == "wall time" else 60)
    result = judged(COURSE, {"double": answer, "next": independent}, Settings(limits=patient))
    cell = cell_of(result, "test_double")
    assert (cell.score, cell.limit) == (0.0, limit), cell.reason
    assert scores(result) == {**FULL, "test_double": 0.0}


def test_a_value_that_hangs_the_test_costs_that_exercise_alone():
    cells = [
        solution("count", "count = 3"),
        checked("steps", "total = 0\nfor _ in range(count): total += 1\nassert total == 3"),
        solution("other", "other = 1"),
        checked("next", "assert other == 1"),
    ]
    quick = Settings(limits=Limits(cpu_seconds=1, wall_seconds=1))
    result = judged(cells, {"count": "count = 10**15"}, quick)
    assert scores(result) == {"steps": 0, "next": 1}
    assert cell_of(result, "steps").limit == "wall time"


def test_endless_output_is_cut_and_costs_nothing_but_itself():
    settings = Settings(limits=Limits(cpu_seconds=2, wall_seconds=6, output=5_000))
    loud = "for i in range(10**4): print('line', i)\ndef double(x): return 2 * x"
    result = judged(COURSE, {"double": loud}, settings)
    assert scores(result) == FULL
    text = graded_cell(result, "double")["outputs"][0]["text"]
    assert len(text) < 6_000
    assert "the rest is left out" in text


def test_nothing_of_one_submission_reaches_the_next():
    judged(COURSE, {"double": "import builtins\nbuiltins.len = lambda _: 0\ndouble = abs"})
    assert scores(judged(COURSE)) == FULL


# ---------------------------------------------------------------- hidden things


def test_hidden_tests_and_inputs_stay_hidden():
    answers = {
        "double": "seen = []\ndef double(x):\n    seen.append(x)\n    print('seen', seen)\n"
        "    if x > 2:\n        raise type(f'E{x}', (ValueError,), {})(f'x was {x}')\n    return 2",
        "next": "print(seen)\ndef next_even(x):\n    raise KeyError(str(seen))\nseen",
    }
    result = judged(COURSE, answers)
    assert scores(result)["test_double"] == 0
    assert "2117" not in public(result)
    assert "not for students" not in public(result)
    # The instructor sees it all.
    assert "2117" in str(graded_cell(result, "test_double")["outputs"])


def test_what_later_cells_show_is_shown_without_hidden_inputs():
    answers = {
        "double": "seen = []\ndef double(x):\n    seen.append(x)\n    return 2 * x",
        "next": "def next_even(x): return 2 * x + 2\nlimit = 7\nprint('I saw', seen)",
    }
    result = judged(COURSE, answers)
    assert scores(result) == FULL
    assert graded_cell(result, "next")["outputs"][0]["text"] == "I saw []\n"


def test_what_cells_show_is_text_and_pictures():
    answer = (
        "import matplotlib.pyplot as plt\nfrom IPython.display import HTML, display\n"
        "display(HTML('<script>alert(1)</script>'))\nplt.plot([1, 2])\nplt.title('$x^2$')\n"
        "def double(x): return 2 * x"
    )
    outputs = graded_cell(judged(COURSE, {"double": answer}), "double")["outputs"]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds == {"text/plain", "image/png"}


# ---------------------------------------------------------------- what tests may do


def test_a_test_may_take_a_name_away_and_give_it_back():
    uses = checked("uses", "kept = double\ndel double\ntry:\n    next_even(1)\nexcept NameError:\n"
                   "    pass\nelse:\n    raise AssertionError('does not use double')\n"
                   "finally:\n    double = kept")  # fmt: skip
    cells = [*COURSE[:5], uses, *COURSE[4:]]
    cells[-3] = checked("test_again", "assert next_even(1) == 4")
    assert set(scores(judged(cells)).values()) == {1, 1.5, None}
    own = "def next_even(x): return 2 * x + 2\nlimit = 7"
    assert cell_of(judged(cells, {"next": own}), "uses").reason == "does not use double"


def test_a_test_may_set_a_value_of_the_students():
    cells = [
        solution("rate", "rate = 3\ndef cost(x): return rate * x"),
        checked("as_is", "assert cost(2) == 6"),
        checked("changed", "rate = 10\nassert cost(2) == 20"),
    ]
    assert set(scores(judged(cells)).values()) == {1}


def test_pythons_own_exceptions_arrive_as_themselves():
    cells = [
        solution("checked", "def root(x):\n    if x < 0: raise ValueError(f'{x} is negative')\n"
                 "    return x ** 0.5"),
        checked("raises", "try:\n    root(-4)\nexcept ValueError as error:\n"
                "    assert str(error) == '-4 is negative'\nelse:\n    assert False"),
    ]  # fmt: skip
    assert scores(judged(cells)) == {"raises": 1}


def test_in_place_changes_count_where_the_test_says_so_or_looks():
    cells = [
        solution("sort", "def sort(values):\n    values.sort()"),
        checked("kept", "cases = [[3, 1]]\nsort(cases[0])\nassert cases[0] == [3, 1]"),
        checked("looked", "values = [3, 1]\nsort(values)\nassert values == [1, 3]"),
        checked("sorted", "values = [3, 1]\nsort(values)\nassert values == [1, 3]",
                tags=["judge-in-place"]),
    ]  # fmt: skip
    assert scores(judged(cells)) == {"kept": 1, "looked": 1, "sorted": 1}


def test_a_live_test_uses_objects_and_the_report_says_so():
    cells = [
        solution("stack", "class Stack(list):\n    def top(self): return self[-1]"),
        checked("apart", "assert Stack([1, 2]).top() == 2"),
        checked("live", "assert Stack([1, 2]).top() == 2", tags=["judge-live"]),
    ]
    result = judged(cells)
    assert scores(result) == {"apart": 0, "live": 1}
    assert "Stack is a type" in cell_of(result, "apart").reason
    assert cell_of(result, "live").live
    assert any("live" in remark.text for remark in result.remarks)


def test_setup_cells_may_read_files_that_were_handed_out():
    cells = [
        given(
            "from pathlib import Path\n"
            "numbers = [int(n) for n in Path('data/n.txt').read_text().split()]"
        ),
        solution("total", "def total(): return sum(numbers)"),
        checked("test_total", "assert total() == sum(numbers) == 6"),
    ]
    result = judged(cells, data=(("data/n.txt", b"1 2 3"),))
    assert scores(result) == {"test_total": 1}


def test_what_cannot_be_imported_is_said_in_plain_words():
    for name in ("course_lib.gpt", "sklearn"):
        answer = f"import {name}\ndef double(x): return 2 * x"
        cell = cell_of(judged(COURSE, {"double": answer}), "test_double")
        assert cell.score == 0
        assert (
            f"{name.partition('.')[0]} cannot be imported where answers are graded" in cell.reason
        )


def test_the_same_seed_gives_the_same_numbers():
    cells = [
        given("import random\nimport numpy as np"),
        solution("draw", "def draw(): return random.random() + np.random.rand()"),
        checked("number", "print(draw())"),
    ]
    drawn = [str(graded_cell(judged(cells, seed=n), "number")["outputs"]) for n in (5, 5, 6)]
    assert drawn[0] == drawn[1] != drawn[2]


# ---------------------------------------------------------------- the result


def test_a_result_survives_its_plain_form():
    result = judged(COURSE, {"double": "1 / 0"})
    assert Result.from_plain(result.to_plain()) == result


def test_grade_takes_files_and_needs_no_course(tmp_path):
    source, submission = tmp_path / "source.ipynb", tmp_path / "submission.ipynb"
    source.write_bytes(as_bytes(COURSE))
    submission.write_bytes(as_bytes(COURSE))
    assert {cell.grade_id: cell.score for cell in grade(source, submission).cells} == FULL


def test_an_instrument_that_is_not_configured_stops_grading_and_says_so():
    cells = [COURSE[1], checked("watched", "double.through('observe.told', (1,), {})")]
    with pytest.raises(JudgeError, match=r"observe\.py, which is not among the instruments"):
        judged([COURSE[0], *cells])


def test_a_source_that_cannot_be_judged_by_says_why(tmp_path):
    twice = [COURSE[1], COURSE[1]]
    with pytest.raises(JudgeError, match="two cells with the grade id 'double'"):
        judged(twice)


def test_so_many_lines_that_their_number_tells_something_are_not_named():
    lines = "\n".join(f"    if x % 1000 == {n}: raise ValueError" for n in range(1000))
    result = judged(COURSE, {"double": f"def double(x):\n    if x < 3: return 2 * x\n{lines}"})
    reason = cell_of(result, "test_double").reason
    assert reason == "Your code raised ValueError (in your cell double)"
