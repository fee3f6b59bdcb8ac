"""A notebook with hidden tests runs twice: what students are shown comes from the first run."""

import time
from dataclasses import replace

import pytest

from course_lib.grading.grade import grade_job
from course_lib.grading.job import JUDGE, SHOW, Job
from course_lib.grading.settings import Limits, Settings
from tests.grading.core.judged import (
    SHORT,
    answered,
    as_bytes,
    cell_of,
    checked,
    given,
    hidden,
    judged,
    public,
    scores,
    solution,
)

RIGHT = "def f(x):\n    return x + 1"
SECRET = "20_417"
HIDDEN = hidden(f"assert f({SECRET}) == {SECRET} + 1")
KEEPING = "kept = []\ndef f(x):\n    kept.append(x)\n    return x + 1"


def in_two_runs(cells, answers):
    """Return the Results of the first and of the second run."""
    job = Job(as_bytes(cells), as_bytes(answered(cells, answers)), settings=SHORT, part=SHOW)
    first = grade_job(job)
    return first, grade_job(replace(job, part=JUDGE, shown=first.shown))


def test_the_first_run_gives_no_score_and_the_second_takes_what_it_showed():
    cells = [solution("a", RIGHT), checked("t", HIDDEN), checked("seen", "assert f(1) == 2")]
    first, second = in_two_runs(cells, {"a": RIGHT + "\nprint('mine')"})
    assert first.cells == ()
    assert "20417" not in first.shown
    assert SECRET not in first.shown
    assert scores(second) == {"t": 1, "seen": 1}
    assert "mine" in public(second)
    assert second.cpu_seconds > first.cpu_seconds


def test_without_hidden_lines_the_first_run_is_final():
    cells = [solution("a", RIGHT), checked("seen", "assert f(1) == 2")]
    job = Job(as_bytes(cells), as_bytes(cells), settings=SHORT, part=SHOW)
    first = grade_job(job)
    assert first.shown == ""
    assert scores(first) == {"seen": 1}


@pytest.mark.parametrize(
    "told",
    [
        "assert f(1) == -kept[-1]",  # the test's own line, with a value of the student's
        "f(2)",
        "f.undone(2)",
    ],
)
def test_a_visible_test_after_a_hidden_one_quotes_nothing_that_was_hidden(told):
    telling = """kept = []
def f(x):
    kept.append(x)
    if len(kept) > 1:
        print(kept)
        raise ValueError(kept)
    return x + 1"""
    cells = [solution("a", KEEPING), checked("t", HIDDEN), checked("seen", told)]
    result = judged(cells, {"a": telling})
    assert "20417" not in public(result)


def test_a_visible_test_after_a_hidden_one_still_says_what_was_wrong():
    cells = [
        solution("a", RIGHT),
        checked("t", HIDDEN),
        checked("seen", "assert f(1) == 2, f'f(1) gives {f(1)}'"),
        checked("raises", "f('a')\nassert True"),
    ]
    wrong = "def f(x):\n    if x == 'a':\n        raise ValueError('no letters')\n    return x + 7"
    result = judged(cells, {"a": wrong})
    assert scores(result) == {"t": 0, "seen": 0, "raises": 0}
    assert cell_of(result, "seen").reason == "f(1) gives 8"
    assert "no letters" in cell_of(result, "raises").reason


def test_an_answer_that_does_otherwise_in_the_second_run_gets_no_words_of_the_first():
    cells = [solution("a", RIGHT), checked("t", HIDDEN), checked("seen", "assert f(1) == 2, f(1)")]
    moody = KEEPING.replace("return x + 1", "return 2 if len(kept) == 1 else kept[0]")
    result = judged(cells, {"a": moody})
    assert scores(result)["seen"] == 0
    assert "20417" not in public(result)


def test_a_file_that_hidden_lines_wrote_is_not_there_where_free_output_comes_from():
    write = "open('secret.txt', 'w').write('4142')\nassert f(1) == 2"
    reads = "print(open('secret.txt').read())"
    cells = [solution("a", RIGHT), checked("t", hidden(write)), solution("b", "print(1)")]
    result = judged(cells, {"b": reads})
    assert scores(result) == {"t": 1}
    assert "4142" not in public(result)


def test_what_hit_a_limit_in_the_first_run_takes_its_time_once():
    cells = [
        solution("a", RIGHT), checked("t", HIDDEN), solution("b", "n = 1"),
        checked("loops", "f(3)\nassert n == 1"),
    ]  # fmt: skip
    slow = "def f(x):\n    while x == 3:\n        pass\n    return x + 1"
    start = time.monotonic()
    result = judged(cells, {"a": slow, "b": "while True:\n    pass"})
    took = time.monotonic() - start
    assert scores(result) == {"t": 1, "loops": 0}
    assert cell_of(result, "loops").limit == "cpu time"
    assert took < 4 * SHORT.limits.cpu_seconds + 2


def test_both_runs_together_have_the_notebooks_time():
    limits = Limits(cpu_seconds=5, wall_seconds=20, judge_seconds=6)
    sleeping = [given(f"import time\ntime.sleep({k})") for k in (2.0, 2.1, 2.2)]
    cells = [*sleeping, solution("a", RIGHT), checked("t", HIDDEN)]
    judged([given("n = 1")], settings=Settings(limits=limits))  # so that the processes are there
    start = time.monotonic()
    result = judged(cells, settings=Settings(limits=limits))
    assert time.monotonic() - start < 6 + 2
    assert "broke_off" in [remark.kind for remark in result.remarks]
