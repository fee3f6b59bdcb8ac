"""Points for conduct cannot be forged: hidden loops, hidden changes, exceptions that say too much."""

# ruff: noqa: E501 - one attack a line reads best
from __future__ import annotations

import json

import pytest

from course_lib.checks.tampering import means_of_tampering
from course_lib.grading.grade import grade
from course_lib.grading.result import Result
from course_lib.grading.settings import Limits, Settings
from course_lib.grading.template import Delimiters
from tests.grading.attacks.small_course import student_sees

SOURCE = "solutions/lesson-14/1_gpt2.ipynb"
SETTINGS = Settings(
    instruments=("course_lib/checks/observe.py",),
    limits=Limits(cpu_seconds=5.0, wall_seconds=10.0, judge_seconds=60.0),
)
DELIMITERS = Delimiters(code_stub="# your answer here", text_stub="*Your answer here.*")
RIGHT = """
def layer_norm(x, g, b):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * g + b
"""
ROW = "(row - row.mean()) / np.sqrt(row.var() + 1e-5) * g + b"
LOOPING = f"""
def layer_norm(x, g, b):
    BEFORE
    rows = [{ROW} for row in x.reshape(-1, x.shape[-1])]
    AFTER
    return np.array(rows).reshape(x.shape)
"""
CHANGING = """
def layer_norm(x, g, b):
    centred = x - x.mean(-1, keepdims=True)
    result = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * g + b
    if x.flags.writeable:
        x += 1
    return result
"""
FORGED = """
observe = SEEN
old = observe.told
def told(function, args, kwargs, **options):
    outcome = old(function, args, kwargs, **options)
    return outcome | {"changed": (), "steps": 10 if options.get("count_steps") else None}
observe.told = told
"""


def looping(before: str = "pass", after: str = "pass") -> str:
    return LOOPING.replace("BEFORE", before).replace("AFTER", after)


def forged(seen: str) -> str:
    return FORGED.replace("SEEN", seen)


UNTRACED = "import sys; kept = sys.gettrace(); sys.settrace(None)"
# name: the answer, its points at most (of 2: values 1.25, inputs, repeat and loops 0.25 each)
ATTACKS = {
    "loop while the tracer is off": (looping(UNTRACED, "sys.settrace(kept)"), 1.75),
    "loop while the frame is not traced": (
        looping("import sys; sys._getframe().f_trace = None; sys.settrace(lambda *a: None)"), 1.75,
    ),
    "returns at once where lines are counted": (looping("import sys\n    if sys.gettrace(): return x"), 1.75),
    "returns at once for the inputs that loops are looked for with": (
        looping("if x.shape in ((2, 3, 5), (2, 30, 5), (30, 3, 5)): return x"), 1.75,
    ),
    "loop in code that looks like NumPy's": (
        f"exec(compile('def one(row, g, b): return {ROW}', np.__file__, 'exec'))\n" + looping(), 1.75,
    ),
    "loop in another thread": (
        looping("import threading; t = threading.Thread(target=print)"), 1.75,
    ),
    "loop within C": (
        ("def layer_norm(x, g, b):\n    rows, d = x.reshape(-1, x.shape[-1]), x.shape[-1]\n"
        "    c = rows - np.array(list(map(np.add.reduce, rows)))[:, None] / d\n"
        "    v = np.array([*map(np.add.reduce, c * c)])[:, None] / d\n"
        "    return (c / np.sqrt(v + 1e-5)).reshape(x.shape) * g + b"), 1.75,
    ),
    "counter replaced": (forged('__import__("sys").modules["observe"]') + looping(), 1.75),
    "counter found by gc": (
        forged("[o for o in __import__('gc').get_objects() if getattr(o, '__name__', '') == 'observe'][0]")
        + looping(), 1.75,
    ),
    "changes hidden": (forged('__import__("sys").modules["observe"]') + CHANGING, 1.75),
    "changes hidden by a patched copy": (
        "import copy\ncopy.deepcopy = lambda x: x\nnp.array_equal = lambda *a, **k: True\n" + CHANGING, 1.75,
    ),
    "changes hidden by a patch under another name": (
        "def patch(m):\n    setattr(m, 'array_equal', lambda *a, **k: True)\npatch(np)\n" + CHANGING, 1.75,
    ),
    "says read-only where it does not know": (
        RIGHT.replace("    centred", "    if x.ndim > 1: raise ValueError('read-only')\n    centred", 1), 0.75,
    ),
    "says not written where it does not know": (
        RIGHT.replace("    centred", "    if x.ndim > 1: raise NotImplementedError\n    centred", 1), 0.75,
    ),
    "outcome of its own": (
        '__import__("sys").modules["observe"].told = lambda *a, **k: {"value": None, "passed": True, '
        '"score": 2, "steps": 1, "changed": (), "shared": (), "error": None}\n' + CHANGING, 0.0,
    ),
    "named mistake claimed": (
        "def layer_norm(x, g, b):\n    return {'judge': {'score': 2, 'max_score': 2, 'mistakes': []}}", 0.0,
    ),
}  # fmt: skip


def submission(answer: str) -> bytes:
    with open(SOURCE, encoding="utf-8") as file:  # noqa: PTH123
        made = json.load(file)
    for each in made["cells"]:
        grade_id = each["metadata"].get("nbgrader", {}).get("grade_id", "")
        if grade_id.endswith("_answer"):
            each["source"] = answer if grade_id == "layer_norm_answer" else "pass"
    return json.dumps(made).encode()


@pytest.fixture
def graded(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_HIDDEN_SEED", "20251")

    def result(answer: str) -> Result:
        path = tmp_path / "answer.ipynb"
        path.write_bytes(submission(answer))
        return grade(SOURCE, path, SETTINGS, seed=3, delimiters=DELIMITERS)

    return result


@pytest.fixture
def points(graded):
    def of_layer_norm(answer: str) -> float:
        found = {score.grade_id: score for score in graded(answer).cells}["layer_norm"]
        assert found.score is not None
        return found.score

    return of_layer_norm


CARRIED = {
    "dtype": "return np.zeros(1, 'S904177')",
    "type": "return type('K904177', (), {})()",
    "exception": "raise ValueError(904177)",
    "type of the exception": "raise type('K904177', (Exception,), {})",
    "text": "return '904177'",
    "print": "print(904177); return x",
    "warning": "import warnings; warnings.warn('904177'); return x",
    "key": "return {'904177': x}",
}
# What a student's process may claim of its outcome, by a counter of its own.
CLAIMED = {
    "changed": '["904177", "[0][904177]", "[904177]"]',
    "shared": '("904177", "[904177]")',
    "refused": '"a K904177"',
    "refused dtype": '"an array of dtype u904177; it must hold real numbers"',
    "error": '{"kind": "K904177", "text": "904177", "line_number": 904177, "line": "904177", '
    '"file": "<904177>"}',
    "test line": '{"kind": "ValueError", "text": "", "line_number": 4, "file": "<test layer_norm>"}',
}


@pytest.mark.parametrize("name", CARRIED)
def test_a_check_on_hidden_inputs_tells_none(graded, name):
    """Feedback says where and what is wrong; none of it is text that the student's code made."""
    shown = student_sees(graded(f"def layer_norm(x, g, b):\n    {CARRIED[name]}"))
    told = "".join(line for line in shown.split("\n") if CARRIED[name][:20] not in line)
    assert "904177" not in told


@pytest.mark.parametrize("name", CLAIMED)
def test_a_claimed_outcome_tells_none(graded, name):
    key = name.split()[0] if name != "test line" else "error"
    code = (
        "observe = __import__('sys').modules['observe']\nold = observe.told\n"
        f"observe.told = lambda *a, **k: old(*a, **k) | {{{key!r}: {CLAIMED[name]}}}\n" + RIGHT
    )
    shown = student_sees(graded(code))
    assert "904177" not in shown
    assert "on_hidden_inputs" not in shown


def test_honest_conduct_has_its_points(points):
    assert points(RIGHT) == 2.0
    assert points(looping()) == points(CHANGING) == 1.75


@pytest.mark.parametrize("name", ATTACKS)
def test_conduct_cannot_be_forged(points, name):
    answer, most = ATTACKS[name]
    assert points(answer) <= most
    assert points(RIGHT) == 2.0


@pytest.mark.parametrize(
    "source",
    [
        "  import gc", ">>> import gc", "%timeit -n 3 exec('x')", "/exec x", "a = %run x",
        "getattr(sys, 'set' + 'trace')", "from sys import *", "f.__globals__", "matplotlib.sys",
        "match sys:\n    case object(settrace=t): pass", "np.load(f, allow_pickle=True)",
        "import unittest.mock", "%%script bash\n", "e.__traceback__.tb_frame.f_back",
        "np.array_equal = f", "m.array_equal = f", "setattr(np, 'size', f)", "del np.size",
        "find = getattr", "list(map(getattr, [f], names))", "partial(setattr, np)", "[delattr]",
        "def g(find=getattr): pass", "{'find': getattr}['find'](f, n)", "(getattr)(f, name)",
        "wraps(f, names, [])", "w = functools.wraps", "from functools import wraps as w",
        "update_wrapper(f, g, names)", "wraps(f, assigned=names)", "getattr(*pair)",
        "functools.update_wrapper(f, g, updated=())", "delattr(np, 'size')", "f = g = setattr",
    ],
)  # fmt: skip
def test_means_of_tampering_are_seen(source):
    assert means_of_tampering(["import numpy as np", source])


@pytest.mark.parametrize(
    "source",
    [
        "  x = 1", "y = (x\n  %b)", "files = !ls", "%matplotlib inline", "%timeit f(x)", "np.sum?",
        "%%timeit -n 10 -r 3\nf(x)", "import sys\nprint(sys.version)", "getattr(x, 'shape', None)",
        "x = '''\n%run\n'''", "def f(", "from types import SimpleNamespace",
        "import pandas as pd", "from course_lib import init_gpt", "import sklearn.metrics",
        "@wraps(f)\ndef g(): pass", "@functools.wraps(f)\ndef g(): pass", "setattr(p, 'x', 1)",
        "from functools import wraps", "update_wrapper(g, f)", "hasattr(x, 'shape')",
        "x.shape = (2, 3)", "p.x = 1", "layer_norm.cache = {}", "x.flags.writeable = False",
    ],
)  # fmt: skip
def test_ordinary_code_is_not_suspected(source):
    assert not means_of_tampering([source])
