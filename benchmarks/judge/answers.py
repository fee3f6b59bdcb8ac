"""What students of the scratch course wrote: right and wrong in many ways, no two files alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

RIGHT = 0.6  # share of right answers to one exercise

SETUP = """\
%matplotlib inline
import matplotlib.pyplot as plt
import numpy as np"""

EXERCISES: dict[str, dict[str, Any]] = {
    "standardise": {
        "points": 3,
        "test": """\
x = np.array([1.0, 2.0, 3.0, 6.0])
assert standardise(x).shape == (4,), "one number for each number"
assert abs(standardise(x).mean()) < 1e-12, "the mean must be 0"
### BEGIN HIDDEN TESTS
rng = np.random.default_rng(5)
for n in (2, 10, 1000):
    x = rng.normal(3, 4, n)
    assert np.allclose(standardise(x), (x - x.mean()) / x.std())
### END HIDDEN TESTS""",
        "right": [
            "def standardise(x):\n    return (x - x.mean()) / x.std()",
            (
                "def standardise(x):\n    m = sum(x) / len(x)\n"
                "    s = np.sqrt(((x - m) ** 2).mean())\n    return (x - m) / s"
            ),
            (
                "def standardise(x):\n    y = np.array(x, dtype=float)\n    y -= np.mean(y)\n"
                "    y /= np.std(y)\n    return y"
            ),
        ],
        "wrong": [
            "def standardise(x):\n    return x / x.std()",
            "def standardise(x):\n    return (x - x.mean()) / x.std(ddof=1)",
            "def standardise(x):\n    return x - np.mean(x)",
            "def standardise(x):\n    return (x - mean(x)) / std(x)",
            "def standardise(x)\n    return (x - x.mean()) / x.std()",
            "def standardise(x):\n    pass",
        ],
    },
    "fibonacci": {
        "points": 2,
        "test": """\
assert [fibonacci(n) for n in range(7)] == [0, 1, 1, 2, 3, 5, 8]
### BEGIN HIDDEN TESTS
assert fibonacci(20) == 6765
try:
    fibonacci(-1)
except ValueError:
    pass
else:
    raise AssertionError("negative numbers are refused")
### END HIDDEN TESTS""",
        "right": [
            (
                "def fibonacci(n):\n    if n < 0:\n        raise ValueError(n)\n    a, b = 0, 1\n"
                "    for _ in range(n):\n        a, b = b, a + b\n    return a"
            ),
            (
                "def fibonacci(n):\n    if n < 0:\n        raise ValueError('n < 0')\n"
                "    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)"
            ),
        ],
        "wrong": [
            "def fibonacci(n):\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)",
            (
                "def fibonacci(n):\n    a, b = 1, 1\n    for _ in range(n):\n"
                "        a, b = b, a + b\n    return a"
            ),
            "def fibonacci(n):\n    print(n)\n    return None",
        ],
    },
    "letters": {
        "points": 2,
        "test": """\
assert letters("abba") == {"a": 2, "b": 2}
### BEGIN HIDDEN TESTS
assert letters("") == {}
assert letters("Otto!") == {"o": 2, "t": 2}, "letters only, and small ones"
### END HIDDEN TESTS""",
        "right": [
            (
                "def letters(text):\n    found = {}\n    for c in text.lower():\n"
                "        if c.isalpha():\n            found[c] = found.get(c, 0) + 1\n"
                "    return found"
            ),
            (
                "from collections import Counter\ndef letters(text):\n"
                "    return Counter(filter(str.isalpha, text.lower()))"
            ),
        ],
        "wrong": [
            "def letters(text):\n    return {c: text.count(c) for c in text}",
            "def letters(text):\n    return sorted(text)",
            (
                "def letters(text):\n    found = {}\n    for c in text:\n        found[c] += 1\n"
                "    return found"
            ),
        ],
    },
}
PLOT = "plt.plot(standardise(np.arange({n}.0)))\nplt.title('mine')\nplt.show()"


def written(number: int) -> tuple[dict[str, str], Sequence[str]]:
    """Return one student's answers by exercise, and cells of the student's own."""
    draw = random.Random(number)
    answers = {}
    for name, exercise in EXERCISES.items():
        kind = "right" if draw.random() < RIGHT else "wrong"
        answers[name] = f"# {name}, my answer {number}\n{draw.choice(exercise[kind])}"
        if draw.random() < 0.05:
            del answers[name]
    own = [f"[fibonacci(n) for n in range({number % 9})]"] if draw.random() < 0.5 else []
    own += [PLOT.format(n=3 + number % 50)] if draw.random() < 0.2 else []
    return answers, own
