"""What must not pass from a test to an answer, between notebooks, or into the points."""

import pytest

from course_lib.grading.errors import JudgeError
from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from course_lib.grading.template import Delimiters
from tests.grading.attacks.small_course import student_sees
from tests.grading.core.judged import (
    SHORT,
    answered,
    as_bytes,
    cell_of,
    checked,
    given,
    hidden,
    judged,
    scores,
    solution,
)

SECRET = "904177"


def test_what_a_test_writes_is_gone_for_the_next_notebook():
    cells = [
        given("import os"),
        solution("load", "def load(path):\n    return int(open(path).read())"),
        checked("loads", hidden(f'open("hidden.txt", "w").write("{SECRET}")\n'
                                f'assert load("hidden.txt") == {SECRET}')),
        checked("once", 'assert not os.path.exists("log.txt")\nopen("log.txt", "a").write("x")'),
    ]  # fmt: skip
    data = (("given.txt", b"1"),)
    assert scores(judged(cells, data=data)) == {"loads": 1, "once": 1}
    look = 'import os\nprint(sorted(os.listdir(".")))\n'
    honest = "def load(path):\n    return int(open(path).read())"
    result = judged(cells, {"load": look + honest}, data=data)
    assert scores(result) == {"loads": 1, "once": 1}
    assert "hidden.txt" not in student_sees(result)
    assert "given.txt" in student_sees(result)


def test_a_changed_file_is_as_it_was_for_the_next_notebook():
    cells = [
        solution("first", "def first():\n    return open('given.txt').read()"),
        checked("reads", "assert first() == '1'\nopen('given.txt', 'w').write('2')"),
    ]
    for _ in range(2):
        assert scores(judged(cells, data=(("given.txt", b"1"),))) == {"reads": 1}


def test_it_is_gone_even_if_the_judging_ended_with_an_error():
    data = (("given.txt", b"1"),)
    cells = [
        solution("f", "def f():\n    return 1"),
        checked("t", "open('left.txt', 'w').write('x')\nf.through('nowhere.told', (), {})"),
    ]
    with pytest.raises(JudgeError, match="nowhere"):
        judged(cells, data=data)
    cells = [
        solution("look", "import os\nseen = os.listdir('.')"),
        checked("t", "assert seen == ['given.txt']"),
    ]
    assert scores(judged(cells, data=data)) == {"t": 1}


def test_an_answer_cannot_draw_what_a_test_will_draw():
    cells = [
        given("import random\nimport numpy as np"),
        solution("guess", "def guess():\n    return None"),
        checked("known", hidden("drawn = random.randrange(10**6), np.random.rand()\n"
                                "assert guess() != drawn[0]\nassert guess() != drawn[1]")),
    ]  # fmt: skip
    for draw in ("random.randrange(10**6)", "np.random.rand()"):
        guess = f"known = {draw}\ndef guess():\n    return known"
        for seed in (0, 5, 20251):
            assert scores(judged(cells, {"guess": guess}, seed=seed)) == {"known": 1}


def test_each_side_draws_the_same_again_for_the_same_seed():
    cells = [
        solution("draw", "import random\ndrawn = random.random()"),
        checked("shows", "import random\nprint(drawn, random.random())"),
    ]
    shown = {student_sees(judged(cells, seed=seed)) for seed in (3, 3, 4)}
    assert len({text.split('"text"')[1] for text in shown}) == 2


def test_hidden_is_hidden_whatever_marks_it():
    marks = Delimiters(begin_hidden="HIDE FROM HERE", end_hidden="HIDE TO HERE")
    test = (f'assert f(1) == 2\n### HIDE FROM HERE\nassert f({SECRET}) == {SECRET} + 1, "canary"\n'
            "### HIDE TO HERE")  # fmt: skip
    cells = [solution("f", "def f(x):\n    return x + 1"), checked("t", test)]
    for answer in (
        "def f(x):\n    print('seen', x)\n    return x + 1",
        "def f(x):\n    if x > 5: raise ValueError(f'the input is {x}')\n    return x + 1",
        "def f(x):\n    return 2",
    ):
        handed_in = as_bytes(answered(cells, {"f": answer}))
        job = Job(as_bytes(cells), handed_in, 0, SHORT, delimiters=marks)
        seen = student_sees(grade_job(job))
        assert SECRET not in seen
        assert "canary" not in seen


def test_a_value_that_a_hidden_test_sets_is_not_shown_by_a_later_call():
    cells = [
        solution("f", "rate = 0.1\ndef f(x):\n    return x * rate"),
        checked("first", hidden(f"rate = {SECRET}\nassert rate > 0")),
        checked("second", 'assert f(0) == 0, f"f(0) gave {f(0)}"'),
    ]
    tells = 'rate = 0.1\ndef f(x):\n    print("rate", rate)\n    return rate'
    result = judged(cells, {"f": tells})
    assert scores(result)["second"] == 0
    assert SECRET not in student_sees(result)


@pytest.mark.parametrize(
    ("value", "points"),
    [
        ("0", 0), ("0.0", 0), ("2", 2), ("2.5", 2.5), ("7", 3), ("-1", 0), ("float('nan')", 0),
        ("np.int64(0)", 0), ("np.float64(1.5)", 1.5), ("np.float32(2)", 2), ("np.array(0.5)", 0.5),
        ("Fraction(3, 2)", 1.5), ("Decimal('1.25')", 1.25), ("np.float64('nan')", 0),
        ("float('inf')", 0), ("None", 3), ("'good'", 3), ("np.zeros(2)", 3),
    ],
)  # fmt: skip
def test_a_last_value_that_is_a_number_is_the_points(value, points):
    cells = [
        given("import numpy as np\nfrom decimal import Decimal\nfrom fractions import Fraction"),
        solution("x", "x = 1"),
        checked("t", f"assert x\n{value}", points=3),
    ]
    assert scores(judged(cells)) == {"t": points}


def test_a_stop_is_a_stop_even_if_the_test_catches_everything():
    test = "try:\n    f(-1)\nexcept:\n    pass\nelse:\n    assert False"
    cells = [solution("f", "def f(x):\n    raise ValueError"), checked("t", test)]
    assert scores(judged(cells)) == {"t": 1}
    ends = judged(cells, {"f": "def f(x):\n    import os\n    os._exit(0)"})
    assert cell_of(ends, "t").score == 0
    assert "ended Python" in cell_of(ends, "t").reason


def test_a_notebook_shows_no_more_than_a_notebook_may():
    cells = [solution(f"a{i}", "x = 1") for i in range(60)] + [checked("t", "assert x == 1")]
    loud = {f"a{i}": "x = 1\nprint('y' * 900_000)" for i in range(60)}
    result = judged(cells, loud)
    assert scores(result) == {"t": 1}
    assert len(str(result.notebook)) < 20 * 2**20


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.posix_fadvise(os.open(os.__file__, os.O_RDONLY), 0, 0, 4)",
        "import os\nos.preadv(os.open(os.__file__, os.O_RDONLY), [bytearray(8)], 0, os.RWF_NOWAIT)",
        "import os\nos.statvfs('/')",
        """import ctypes
assert ctypes.CDLL(None).sysinfo(ctypes.create_string_buffer(512)) == -1
raise OSError""",
        """import mmap, os
mapped = mmap.mmap(os.open(os.__file__, os.O_RDONLY), 0, prot=mmap.PROT_READ)
mapped.madvise(21)""",
    ],
    ids=["fadvise", "preadv2", "statfs", "sysinfo", "pageout"],
)
def test_nothing_tells_or_changes_what_the_whole_machine_shares(code):
    cells = [solution("x", "x = 0"), checked("t", "assert x == 1")]
    lines = "".join(f"    {line}\n" for line in code.split("\n"))
    answer = f"try:\n{lines}except OSError:\n    x = 1\nelse:\n    x = 2"
    result = judged(cells, {"x": answer})
    assert scores(result) == {"t": 1}, cell_of(result, "t").reason
