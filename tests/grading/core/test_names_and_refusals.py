"""What crosses by its name, and what a test may expect of the wall."""

import pytest

from tests.grading.core.judged import cell_of, checked, given, hidden, judged, scores, solution

ADD_UP = """def add_up(values):
    return sum(values)
amount = add_up([1, 2])"""
CASES = "[([1], 1), ([2, 3], 5), ([4, 5, 6], 15)]"
EXPECTING = {
    "a loop": f"for values, amount in {CASES}:\n    assert add_up(values) == amount",
    "an assignment": "amount = 15\nassert add_up([4, 5, 6]) == amount",
    "a walrus": "assert (amount := 15) and add_up([4, 5, 6]) == amount",
    "with": """import contextlib
with contextlib.nullcontext(15) as amount:
    assert add_up([4, 5, 6]) == amount""",
    "globals": "globals()['amount'] = 15\nassert add_up([4, 5, 6]) == amount",
}
STEALING = """amount = 0
def add_up(values):
    return amount"""


@pytest.mark.parametrize("is_hidden", [False, True], ids=["visible", "hidden"])
@pytest.mark.parametrize("way", EXPECTING)
def test_an_expected_value_does_not_cross_by_its_name(way, is_hidden):
    test = hidden(EXPECTING[way]) if is_hidden else EXPECTING[way]
    cells = [solution("a", ADD_UP), checked("t", test)]
    assert scores(judged(cells)) == {"t": 1}
    assert scores(judged(cells, {"a": STEALING})) == {"t": 0}


def test_a_value_that_a_test_sets_for_the_instructors_function_crosses():
    pay = "rate = 2\ndef pay(hours):\n    return rate * hours"
    cells = [
        solution("a", pay),
        checked("seen", "rate = 3\nassert pay(10) == 30"),
        checked("not_seen", hidden("for rate in (5, 7):\n    assert pay(10) == 10 * rate")),
    ]
    assert scores(judged(cells)) == {"seen": 1, "not_seen": 1}
    fixed = {"a": "rate = 2\ndef pay(hours):\n    return 3 * hours"}
    assert scores(judged(cells, fixed)) == {"seen": 1, "not_seen": 0}


def test_what_a_test_made_of_a_name_stays_for_later_tests_until_an_answer_binds_it_again():
    cells = [
        solution("a", ADD_UP),
        checked("sets", "amount = 7\nassert add_up([3, 4]) == amount"),
        checked("reads", "assert amount == 7"),
        solution("b", "amount = add_up([1, 1])"),
        checked("again", "assert amount == 2"),
    ]
    assert scores(judged(cells)) == {"sets": 1, "reads": 1, "again": 1}


CANNOT_CROSS = {
    "an object": "object()",
    "a generator": "(i for i in x)",
    "NotImplemented": "NotImplemented",
    "too large": "[0] * 3_000_000",
    "a class": "type('T', (), {})",
}
EXPECTS = {
    "TypeError": "from numpy.testing import assert_raises as r\nwith r(TypeError):\n    f('a')",
    "Exception": "import unittest\nunittest.TestCase().assertRaises(Exception, f, 'a')",
    "BaseException": "import pytest\nwith pytest.raises(BaseException):\n    f('a')",
    "anything": "try:\n    f('a')\nexcept:\n    pass\nelse:\n    assert False",
}


@pytest.mark.parametrize("value", CANNOT_CROSS)
@pytest.mark.parametrize("test", EXPECTS)
def test_no_test_expects_what_the_wall_raises(test, value):
    right = "def f(x):\n    if isinstance(x, str):\n        raise TypeError(x)\n    return x"
    cells = [solution("a", right), checked("t", EXPECTS[test])]
    assert scores(judged(cells)) == {"t": 1}
    told = judged(cells, {"a": f"def f(x):\n    return {CANNOT_CROSS[value]}"})
    assert scores(told) == {"t": 0}
    assert "plain data" in cell_of(told, "t").reason


def test_an_object_in_the_place_of_a_function_is_refused_even_if_the_test_catches_that():
    test = "try:\n    f('a')\nexcept BaseException:\n    pass"
    cells = [given("n = 1"), solution("a", "def f(x):\n    return x"), checked("t", test)]
    assert scores(judged(cells)) == {"t": 1}
    assert scores(judged(cells, {"a": "class f:\n    def __init__(self, x): pass"})) == {"t": 0}
