"""How much an answer can carry out of a run that hidden inputs are about: ten bits a test."""

import builtins
import itertools
import re
import signal
from pathlib import Path

import pytest

import course_lib.grading.judge
from course_lib.grading.judge import far_side
from course_lib.grading.judge.far_side import Stopped
from course_lib.grading.judge.few_words import COMMON_TYPES, STOPS, TOLD_LINES
from course_lib.grading.judge.proxies import CannotCross, Space, StudentError
from course_lib.grading.judge.scoring import Attempt, score_cell
from course_lib.grading.judge.telling import places
from course_lib.grading.template import TEST, TemplateCell
from tests.grading.core.judged import (
    SHORT,
    cell_of,
    checked,
    given,
    hidden,
    judged,
    public,
    scores,
    solution,
)

TEN_BITS = 2**10
TYPES = [name for name, value in vars(builtins).items()
         if isinstance(value, type) and issubclass(value, BaseException)]  # fmt: skip
PUBLIC = "\n".join(f"assert f({n}) == {n}, 'wrong for {n}'" for n in range(90))
SOURCE = f"{PUBLIC}\n{hidden('assert f(4177) == 4177')}"
CELL = TemplateCell(
    5, TEST, "code", SOURCE, PUBLIC, "t", 1.0, hidden_lines=frozenset(range(91, 94))
)


def lines_of(count):
    """Return a student's cells of so many lines in all, with comments and empty lines between."""
    cells = {"cell a": ["x = 1"] * (count // 2), "cell of your own 1": ["y = 2"] * -(-count // 2)}
    return {label: [t for line in cell for t in (line, "", "# z")] for label, cell in cells.items()}


def what_can_be_tried(own):
    """Yield an attempt for everything that a student's process can bring about by itself."""
    yield Attempt()
    for name, label in itertools.product(TYPES, own):
        for number in range(len(own[label]) + 2):
            where = [["cell setup", 1], [label, number], ["no cell", 1]]
            told = {"kinds": [f"mine.{name}", f"builtins.{name}"], "text": name, "where": where}
            yield Attempt(error=StudentError(name), far_error=told)
    # Raised by the test itself, with a text that it was made to have.
    for name, number in itertools.product(("AssertionError", "TypeError", "KeyError"), range(94)):
        for text in (PUBLIC[3:9], f"wrong for {number - 1}", "4177"):
            kind = getattr(builtins, name)
            try:
                error = kind(text)
            except TypeError:
                error = Exception(text)
            yield Attempt(error=error, error_places=[("test t", number)])
    for limit, text in itertools.product(STOPS, ("one", "another", *map(str, signal.Signals))):
        yield Attempt(stopped=Stopped(limit, text))
    for status in range(256):
        for killed in (False, True):
            yield Attempt(stopped=far_side._death(status, killed))
    space = object.__new__(Space)
    space.hidden = True
    kinds = {f"a {name}" for name in (*TYPES, *dir(builtins), "DataFrame", "matrix", "Secret41")}
    for kind, large in itertools.product(kinds, (False, True)):
        refusal = CannotCross(f"Your function f returned {space._kind(kind)}", too_large=large)
        yield Attempt(error=refusal)


@pytest.mark.parametrize("count", [1, TOLD_LINES, TOLD_LINES + 1, 5000])
def test_a_test_with_hidden_lines_tells_one_of_fewer_than_1024_things(count):
    own = lines_of(count)
    told = set()
    for attempt in what_can_be_tried(own if count < 200 else {"cell a": own["cell a"][:400]}):
        attempt.hidden, attempt.hidden_lines = True, CELL.hidden_lines
        lines = {**own, "cell setup": ["import math"]}
        if attempt.far_error:
            attempt.error_places = places(attempt.far_error, lines)
        score, _, shown = score_cell(CELL, attempt, lines, own)
        told.add((score.score, score.status, score.limit, score.reason, score.mistakes, str(shown)))
    assert len(told) < TEN_BITS, len(told)
    if count == TOLD_LINES:  # as much as that is used
        assert len(told) > (len(COMMON_TYPES) + 1) * (TOLD_LINES + 1) + 2 * 90
    assert not any("SIG" in text or "4177" in text for _, _, _, text, *_ in told)


def test_every_limit_has_its_sentence():
    folder = Path(course_lib.grading.judge.__file__).parent
    texts = "\n".join(path.read_text() for path in folder.glob("*.py"))
    limits = set(re.findall(r'(?:Stopped|\.stop)\(\s*"([a-z ]+)"', texts))
    assert limits == set(STOPS)


# ---------------------------------------------------------------- whole gradings

SECRETS = (3, 41, 59, 77)
TELLING = """import os
def f(x):
    if x == 3: raise type("Secret", (BufferError,), {})("secret 3")
    if x == 41: os.abort()
    if x == 59: os.kill(os.getpid(), 11)
    if x == 77: return (n for n in "secret")
    return x
"""


def test_signals_and_rare_types_are_told_in_few_words(either_wall):
    cells = [solution("a", "def f(x):\n    return x")]
    cells += [checked(f"t{x}", hidden(f"assert f({x}) == {x}")) for x in (*SECRETS, 5)]
    result = judged(cells, {"a": TELLING})
    assert ("bubblewrap" in result.notebook["metadata"]["judge"]["wall"]) == (
        either_wall == "with bubblewrap"
    )
    assert scores(result) == {"t3": 0, "t41": 0, "t59": 0, "t77": 0, "t5": 1}
    assert cell_of(result, "t3").reason.startswith("Your code raised an exception (line 3 of your")
    assert {cell_of(result, f"t{x}").reason for x in (41, 59)} == {STOPS["crash"]}
    told = [cell_of(result, f"t{x}").reason for x in SECRETS]
    for word in ("secret", "Secret4", "Unicode", "SIG", "Aborted"):
        assert word not in " ".join(text.partition(" (line")[0] for text in told)
    assert "generator" in told[3]


def test_many_types_from_many_lines_tell_ten_bits_of_a_hidden_input(either_wall):
    """The input is one of 4,000, the answer says which by type and line: it is told a tenth."""
    names = [name for name in TYPES if name not in ("SystemExit", "KeyboardInterrupt")][:40]
    raising = "\n".join(f"    if x % 95 == {n}: raise kinds[x // 95](x)" for n in range(95))
    answer = f"kinds = [{', '.join(names)}]\ndef f(x):\n{raising}"
    inputs = [95 * kind + 7 for kind in range(40)]
    cells = [solution("a", "def f(x):\n    return x")]
    cells += [checked(f"t{x}", hidden(f"assert f({x}) == {x}")) for x in inputs]
    result = judged(cells, {"a": answer})
    assert set(scores(result).values()) == {0}
    told = {cell_of(result, f"t{x}").reason for x in inputs}
    assert len(told) <= len(COMMON_TYPES) + 1
    assert all("line 10 of your cell a" in reason for reason in told - set(STOPS.values()))


def test_a_message_chosen_among_the_words_of_the_test_is_not_told():
    test = f"word = 'abcdefghijk'\nassert f(1) == 2, f(1)\n{hidden('assert f(77) == 78')}"
    cells = [solution("a", "def f(x):\n    return x + 1"), checked("t", test)]
    result = judged(cells, {"a": "def f(x):\n    return 'defg'"})
    assert cell_of(result, "t").reason == "This test did not pass: assert f(1) == 2, f(1)"
    right = checked("t", f"assert f(1) == 2, 'one more'\n{hidden('assert f(77) == 78')}")
    result = judged([cells[0], right], {"a": "def f(x):\n    return 'defg'"})
    assert cell_of(result, "t").reason == "one more"


def test_what_kind_of_error_a_hidden_test_ran_into_is_not_told():
    cells = [solution("a", "def f(x):\n    return x"), checked("t", hidden("f(77) + 1\nf(7)[0]"))]
    for value in ("None", "7", "'7'", "{}", "[]"):
        result = judged(cells, {"a": f"def f(x):\n    return {value}"})
        assert cell_of(result, "t").reason == "A hidden test did not pass."
        assert "Error" not in public(result)


REPORTS = """
class Report:
    def __init__(self, text): self.text = text
    def _repr_mimebundle_(self, **_):
        mistake = {"id": "m", "title": self.text, "message": self.text}
        return ({"text/plain": "0.5", "text/html": self.text}, {"judge": {"mistakes": [mistake]}})
"""


def test_a_visible_report_after_hidden_tests_is_told_only_if_it_was_the_same_before():
    cells = [
        given(REPORTS), solution("a", "def f(x):\n    return x"),
        checked("t", hidden("assert f(4142) == 4142")),
        checked("seen", "Report(f'f(1) gives {f(1)}') if f(1) != 1 else None"),
    ]  # fmt: skip
    moody = "kept = []\ndef f(x):\n    kept.append(x)\n    return kept[0] if len(kept) > 1 else x"
    result = judged(cells, {"a": moody})
    assert "4142" not in public(result)
    steady = judged(cells, {"a": "def f(x):\n    return x if x > 1 else 9"})
    assert "f(1) gives 9" in public(steady)
    assert cell_of(steady, "seen").reason == "f(1) gives 9"


def test_an_honest_student_is_told_the_usual_mistakes_with_their_line():
    faulty = {
        "IndexError": "[x][1]", "KeyError": "{}[x]", "TypeError": "x + 'a'", "NameError": "y",
        "ValueError": "int('a')", "ZeroDivisionError": "x / 0", "AttributeError": "x.size",
    }  # fmt: skip
    assert set(faulty) == set(COMMON_TYPES)
    cells = [solution("a", "def f(x):\n    return x"), checked("t", hidden("assert f(77) == 77"))]
    for kind, code in faulty.items():
        reason = cell_of(judged(cells, {"a": f"def f(x):\n    return {code}"}), "t").reason
        assert reason == f"Your code raised {kind} (line 2 of your cell a: return {code})"


def test_a_setup_cell_takes_no_line_from_the_student():
    long = given("\n".join(f"n{i} = {i}" for i in range(300)))
    cells = [long, solution("a", "def f(x):\n    return x"), checked("t", hidden("assert f(7)"))]
    reason = cell_of(judged(cells, {"a": "def f(x):\n    return x / 0"}, SHORT), "t").reason
    assert "(line 2 of your cell a: return x / 0)" in reason
