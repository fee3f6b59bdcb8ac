"""Attacks that would have points for wrong answers."""

# ruff: noqa: E501 - one attack a line reads best
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.grading.attacks.attack import Attack, Places, forging
from tests.grading.attacks.small_course import TESTS, WRONG, Handed, Notebook, cell, visible

# The student's side of the wall, found from inside a cell.
FIND = """
import sys
def _side():
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Answering":
                return value
        frame = frame.f_back
side = _side()
print("found", type(side).__name__)
"""
CHANNEL = (
    FIND
    + """
import gc, json, struct
channel = next(o for o in gc.get_objects() if type(o).__name__ == "socket" and o.fileno() >= 0)
encode = type(side).reply.__globals__["encode"]
def forge(value):
    channel.sendall(encode(value))
print("channel", channel.fileno())
"""
)

OBJECTS = (
    ("equals everything", "an object whose == is always true", "class E:\n    def __eq__(self, o): return True\n    def __abs__(self): return 0\n    def __sub__(self, o): return self\n    def __lt__(self, o): return True\n    def __gt__(self, o): return True", "E()"),
    ("array protocol", "an object that hands out a fitting array", "class E:\n    def __array__(self, *a, **k): return np.zeros(3)\n    def __array_function__(self, *a): return True\n    def __array_ufunc__(self, *a, **k): return True\n    def __eq__(self, o): return True", "E()"),
    ("ndarray subclass", "an array whose comparisons are true", "class E(np.ndarray):\n    def __eq__(self, o): return np.ones(3, bool)\n    def __array_function__(self, *a): return True\n    def __array_ufunc__(self, *a, **k): return True", "np.zeros(3).view(E)"),
    ("float subclass", "a number that equals all numbers", "class E(float):\n    def __eq__(self, o): return True\n    def __sub__(self, o): return 0.0\n    def __gt__(self, o): return True", "E(0)"),
    ("int subclass", "a whole number that equals all", "class E(int):\n    def __eq__(self, o): return True\n    def __hash__(self): return 0", "E(0)"),
    ("str subclass", "a text that equals all texts", "class E(str):\n    def __eq__(self, o): return True\n    def __hash__(self): return 0", "E('x')"),
    ("list subclass", "a list that equals all lists", "class E(list):\n    def __eq__(self, o): return True", "E()"),
    ("dict subclass", "a dict that equals all", "class E(dict):\n    def __eq__(self, o): return True", "E()"),
    ("masked array", "a masked array, whose comparisons are masked", "E = None", "np.ma.masked_all(3)"),
    ("object array", "an array of objects that equal all", "class E:\n    def __eq__(self, o): return True", "np.array([E(), E()], dtype=object)"),
    ("recarray", "a structured array", "E = None", "np.zeros(2, dtype=[('a', float)])"),
    ("generator", "a generator in place of a list", "def E(): yield 4", "E()"),
    ("callable result", "a function in place of a value", "def E(*a, **k): return E", "E"),
    ("not a number", "NaN, which some comparisons let through", "E = None", "float('nan')"),
    ("mock", "a mock object, which has every method", "from unittest.mock import MagicMock\nE = MagicMock()\nE.__eq__ = lambda s, o: True", "E"),
)  # fmt: skip


def _object(name: str, tries: str, made: str, value: str) -> Attack:
    function = f"{made}\ndef {{}}(*args):\n    return {value}"
    answers = {n: function.format(n) for n in ("double", "shift", "label")}
    return forging(name, f"returns {tries}", golden=f"{made}\ngolden = {value}", **answers)


SHELL = (
    forging(
        "displayhook", "shows the points as a result", "import sys\nsys.displayhook(8)\n2",
        double="import sys\nsys.displayhook(2.0)\ndef double(x):\n    sys.displayhook(2.0)\n2.0",
        evidence=('"text/plain": "8"',),
    ),
    forging(
        "AST transformer", "takes the asserts out of all cells that run later",
        "import ast\nclass NoAsserts(ast.NodeTransformer):\n    def visit_Assert(self, node):\n"
        "        print('took one out')\n        return ast.Pass()\n"
        "get_ipython().ast_transformers.append(NoAsserts())",
        label="assert False, 'never seen'\ndef label(n):\n    return 'even?'",
        evidence=("took one out",),
    ),
    forging(
        "input transformer", "comments the asserts out before they are compiled",
        "get_ipython().input_transformers_post.append(\n"
        "    lambda lines: [l.replace('assert', 'None #') for l in lines])",
        label="assert False\nprint('not stopped')\ndef label(n):\n    return 'even?'",
        evidence=("not stopped",),
    ),
    forging(
        "patched run_cell", "runs nothing that holds an assert",
        "shell = get_ipython()\nold = shell.run_cell\ndef run_cell(source, *a, **k):\n"
        "    print('ran mine')\n    return old('pass' if 'assert' in source else source, *a, **k)\n"
        "shell.run_cell = type(shell).run_cell_async = run_cell",
        evidence=("ran mine",),
    ),
    forging(
        "patched showtraceback", "hides all errors",
        "shell = get_ipython()\nshell.showtraceback = shell._showtraceback = lambda *a, **k: None\n"
        "shell.set_custom_exc((BaseException,), lambda *a, **k: None)\n"
        "shell.events.register('pre_run_cell', lambda info: print('before'))\n"
        "shell.events.register('post_run_cell', lambda result: setattr(result, 'error_in_exec', None))",
        evidence=("before",),
    ),
    forging(
        "patched kernel", "replaces what a kernel runs cells with",
        "shell = get_ipython()\nprint('kernel', getattr(shell, 'kernel', None))\n"
        "class Kernel:\n    def do_execute(self, *a, **k): return {'status': 'ok'}\n"
        "shell.kernel = Kernel()",
        evidence=("kernel None",),
    ),
    forging(
        "patched numpy.testing", "lets no comparison fail",
        "import numpy.testing as t\nfor name in dir(t):\n    if name.startswith('assert'):\n"
        "        setattr(t, name, lambda *a, **k: None)\n"
        "np.allclose = np.array_equal = np.all = lambda *a, **k: True\nprint('patched')",
        evidence=("patched",),
    ),
    forging(
        "patched builtins", "makes abs, all, isinstance and AssertionError harmless",
        "import builtins\nbuiltins.abs = lambda *a: 0\nbuiltins.all = builtins.any = lambda *a: True\n"
        "builtins.AssertionError = type('AssertionError', (Exception,), {})\nprint('patched')",
        evidence=("patched",),
    ),
    forging(
        "names of the star import", "defines the comparisons that the test cell uses",
        "assert_allclose = assert_equal = lambda *a, **k: None\n"
        "class np:\n    class testing:\n        assert_array_equal = lambda *a, **k: None\n"
        "    allclose = ones = full = arange = lambda *a, **k: True",
        label="def label(n):\n    return 'even' if n == 2 else None",
    ),
    forging(
        "names of the tests", "defines what the tests call or compare with",
        "class Equal:\n    def __eq__(self, other): return True\n"
        "expected = key = result = score_function = check = points = Equal()\n"
        "def test_double(*a): return 2\nabs = lambda *a: 0",
    ),
    forging(
        "score as a result", "ends its cells with a number of points",
        "100", double="def double(x):\n    return 0\n2", golden="golden = 1\n1",
    ),
    forging(
        "second call", "answers the first call of all as was seen in the notebook",
        double="calls = []\ndef double(x):\n    calls.append(x)\n    return {2.5: 5.0, 2: 4}.get(x, 0)"
        " if np.ndim(x) == 0 else 0",
    ),
    forging(
        "patched copy and pickle", "changes what values turn into on their way",
        "import copy, pickle, json\npickle.dumps = json.dumps = lambda *a, **k: b'I4\\n.'\n"
        "copy.copy = copy.deepcopy = lambda x, *a: 4\nprint('patched')",
        evidence=("ended Python",),
    ),
)  # fmt: skip

EXITS = tuple(
    forging(name, f"ends the program early, by {code}", code, evidence=evidence)
    for name, code, evidence in (
        ("os._exit", "import os; os._exit(0)", ("ended Python",)),
        ("sys.exit", "import sys; sys.exit(0)", ("SystemExit",)),
        ("quit", "quit()", ()),
        ("exit", "exit(0)", ()),
        ("own SystemExit", "class S(SystemExit): code = 0\nraise S(0)", ("S",)),
        ("KeyboardInterrupt", "raise KeyboardInterrupt", ("KeyboardInterrupt",)),
        ("GeneratorExit", "raise GeneratorExit", ("GeneratorExit",)),
        ("abort", "import os; os.abort()", ("SIGABRT",)),
        ("atexit", "import atexit, os\natexit.register(lambda: print('8'))\nos._exit(0)", ("ended Python",)),
    )
)  # fmt: skip
EXITS_IN_CALLS = tuple(
    forging(
        f"{name} in a call", f"ends the call of a test by {code}",
        **{n: f"def {n}(*a):\n    {code}" for n in ("double", "shift", "label")}, evidence=evidence,
    )
    for name, code, evidence in (
        ("os._exit", "import os; os._exit(0)", ("ended Python",)),
        ("sys.exit", "import sys; sys.exit(0)", ("SystemExit",)),
        ("KeyboardInterrupt", "raise KeyboardInterrupt", ("KeyboardInterrupt",)),
        ("StopIteration", "raise StopIteration", ()),
        ("empty AssertionError", "raise AssertionError", ()),
        ("SkipTest", "import unittest; raise unittest.SkipTest('skipped')", ()),
        ("NotImplementedError", "raise NotImplementedError", ("NotImplementedError",)),
    )
)  # fmt: skip

EXCEPTIONS = (
    forging(
        "hostile exception", "raises what breaks whoever describes it",
        double="class Meta(type):\n    @property\n    def __mro__(cls): raise RuntimeError\n"
        "    def __instancecheck__(cls, o): return True\n"
        "class Bad(Exception, metaclass=Meta):\n    __class__ = AssertionError\n"
        "    def __str__(self): raise SystemExit(0)\n    __repr__ = __str__\n"
        "    @property\n    def args(self): raise KeyboardInterrupt\n"
        "    @property\n    def __traceback__(self): return 3\n"
        "def double(x):\n    raise Bad",
        shift="def shift(*a):\n    raise type('AssertionError', (Exception,), {'__module__': 'builtins'})('')",
        label="def label(n):\n    raise type('Stopped', (BaseException,), {'__module__': 'course_lib'})",
    ),
    forging(
        "exception that equals expected ones", "raises with a text made like the judge's own",
        label="def label(n):\n    raise ValueError('cross the wall\\n8.0')",
        evidence=("ValueError",),
    ),
)  # fmt: skip

# An untruthful process: what it sends in place of replies.
SCORES = (
    '{"value": True, "error": None, "score": 2, "max_score": 2, "passed": True, "status": "passed", '
    '"outputs": [{"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<b>2</b>"}, '
    '"metadata": {"judge": {"score": 2, "max_score": 2, "mistakes": [], "public": None}}}]}'
)
PROTOCOL = (
    forging(
        "replies in advance", "writes replies that claim all points before it is asked",
        CHANNEL + f"for _ in range(40):\n    forge({SCORES})",
    ),
    forging(
        "forged outputs", "claims points in the metadata of what it shows",
        FIND + f"type(side).shown = lambda self: {SCORES}['outputs']", evidence=('"2"',),
    ),
    forging(
        "patched replies", "answers every request with a claim of all points",
        FIND + f"type(side).do_call = lambda self, **k: {SCORES}",
    ),
    forging(
        "rubbish", "writes random bytes to the judge",
        CHANNEL + "channel.sendall(bytes(range(256)) * 100)", evidence=("disturbed or no answer",),
    ),
    forging(
        "pickle", "sends a pickle that would run code where it is read",
        CHANNEL + "data = b\"cos\\nsystem\\n(S'touch @home@/owned'\\ntR.\"\n"
        "channel.sendall(struct.pack('<IQ', len(data), 0) + data)", evidence=("disturbed or no answer",),
    ),
    forging(
        "endless frame", "announces a message of 4 GB and sends little of it",
        CHANNEL + "channel.sendall(struct.pack('<IQ', 2**32 - 1, 2**40) + b'[')",
        evidence=("disturbed or no answer",),
    ),
    forging(
        "deep JSON", "sends lists within lists, 100,000 deep",
        CHANNEL + "data = b'[' * 100_000\nchannel.sendall(struct.pack('<IQ', len(data), 0) + data)",
        evidence=("disturbed or no answer",),
    ),
    forging(
        "wide JSON", "sends ten million small lists",
        CHANNEL + "data = b'[' + b'[],' * 10_000_000 + b'0]'\n"
        "channel.sendall(struct.pack('<IQ', len(data), 0) + data)", evidence=("disturbed or no answer",),
    ),
    forging(
        "array of nothing", "sends an array of 10^10 elements without bytes",
        CHANNEL + "data = b'{\"a\": [\"|S0\", [10000000000], \"C\", true]}'\n"
        "channel.sendall(struct.pack('<IQ', len(data), 0) + data)", evidence=("disturbed or no answer",),
    ),
    forging(
        "keys that collide", "sends a dict whose 7,000 keys have the same hash",
        CHANNEL + "data = json.dumps({'d': [[k * (2**61 - 1), 0] for k in range(7_000)]}).encode()\n"
        "channel.sendall(struct.pack('<IQ', len(data), 0) + data)",
    ),
    forging(
        "wide strides", "sends a small array of 30 axes, each to be kept with gaps",
        CHANNEL + "data = json.dumps({'a': ['|b1', [1] * 30, 'S', True]}).encode()\n"
        "channel.sendall(struct.pack('<IQ', len(data), 1) + data + b'x')",
        evidence=(),
    ),
    forging(
        "object dtype", "sends an array of addresses that were to be read as objects",
        CHANNEL + "data = b'{\"a\": [\"|O\", [1], \"C\", true]}'\n"
        "channel.sendall(struct.pack('<IQ', len(data), 8) + data + bytes(8))",
        evidence=("disturbed or no answer",),
    ),
    forging(
        "wrong names", "answers what its names stand for with all that is wrong",
        FIND + "shapes = iter([[], 7, {'double': 3}, {'double': ['function', 10**30, None]},\n"
        "    {'double': ['value']}, {'double': ['other', -1, {}]}, {'shift': ('value', 0, True)}])\n"
        "type(side).do_names = lambda self, names: {'names': next(shapes, None)}",
    ),
    forging(
        "other references", "refers to objects that were never given out",
        FIND + "type(side).look = lambda self, value: ('function', 99, 'doc')", evidence=("disturbed or no answer",),
    ),
    forging(
        "polyglot", "shows a PNG picture with a script behind, and a script as PNG",
        FIND + "import base64\n"
        "png = b'\\x89PNG\\r\\n\\x1a\\n' + b'<script>alert(1)</script>'\n"
        "type(side).shown = lambda self: [{'output_type': 'display_data', 'data': {'image/png': p,\n"
        "    'image/svg+xml': '<svg onload=alert(1)>', 'text/html': '<script>alert(1)</script>'}}\n"
        "    for p in (base64.b64encode(png).decode(), '<script>alert(1)</script>')]",
    ),
)  # fmt: skip

MAGICS = tuple(
    forging(name, f"uses the magic {code.splitlines()[0]}", code, evidence=evidence)
    for name, code, evidence in (
        ("%load_ext", "%load_ext autoreload\n%autoreload 2", ()),
        ("%run", "%run @course@", ()),
        ("%%script", "%%script bash\necho 8", ()),
        ("shell command", "!touch /tmp/owned-by-attack; echo 8", ()),
        ("captured command", "found = !cat @home@\nprint(found)", ()),
        ("%%bash", "%%bash\nkill -9 $PPID", ()),
        ("%cd", "%cd /\n%pwd", ()),
        ("%%writefile", "%%writefile numpy.py\nallclose = lambda *a: True", ()),
        ("%reset", "%reset -f\n%reset_selective -f .", ()),
        ("%config", "%config InteractiveShell.ast_node_interactivity = 'all'\n%env A=8\n%env", ()),
        ("%pdb and %debug", "%pdb on\n1 / 0", ("ZeroDivisionError",)),
        ("breakpoint", "breakpoint()", ()),
        ("input", "input('Points? ')", ("input() cannot be answered",)),
    )
)  # fmt: skip

# ---------------------------------------------------------------- the notebook's metadata


def _changed(change: Callable[[Notebook], Any]) -> Callable[[Places], Handed]:
    """Make a wrong submission that is changed in the end."""

    class Changed(Handed):
        def notebook(self) -> Notebook:
            made = super().notebook()
            change(made)
            return made

    return lambda _: Changed(dict(WRONG))


def _tests(made: Notebook) -> list[dict[str, Any]]:
    return [c for c in made["cells"] if c["metadata"].get("nbgrader", {}).get("grade")]


def _tag(made: Notebook) -> None:
    for each in made["cells"]:
        each["metadata"]["tags"] = ["skip-execution", "judge-live", "raises-exception"]


def _points(made: Notebook) -> None:
    for each in _tests(made):
        each["metadata"]["nbgrader"]["points"] = 1000


def _emptied(made: Notebook) -> None:
    for each in _tests(made):
        each["source"] = "8"


def _without_tests(made: Notebook) -> None:
    made["cells"] = [c for c in made["cells"] if c not in _tests(made)]


def _more_tests(made: Notebook) -> None:
    for name in ("double", "bonus", "extra"):
        made["cells"].append(cell("test", "assert True", name, 100))


def _copies(made: Notebook) -> None:
    for each in _tests(made):
        grade_id = each["metadata"]["nbgrader"]["grade_id"]
        made["cells"].insert(0, cell("test", "pass", grade_id, 50))


def _swapped(made: Notebook) -> None:
    for each in made["cells"]:
        marks = each["metadata"].get("nbgrader")
        if marks and marks["grade"]:
            marks |= {"grade": False, "solution": True, "locked": False}
        elif marks:
            marks |= {"grade": True, "solution": False, "points": 9}


def _other_ids(made: Notebook) -> None:
    for each in made["cells"]:
        if "nbgrader" in each["metadata"]:
            each["metadata"]["nbgrader"]["grade_id"] = "golden_answer"


def _outputs(made: Notebook) -> None:
    for each in made["cells"]:
        each["outputs"] = [
            {"output_type": "execute_result", "data": {"text/plain": "3"}, "metadata": {},
             "execution_count": 1}
        ]  # fmt: skip
        each["metadata"]["judge"] = {"score": {"score": 3, "max_score": 3}, "public": []}
    made["metadata"]["judge"] = {"remarks": [], "packages": ["os"], "score": 8}


def _tests_as_answers(made: Notebook) -> None:
    """Put the tests into the solution cells, with everything they need to pass."""
    for each in made["cells"]:
        if each["metadata"].get("nbgrader", {}).get("solution"):
            each["source"] += f"\n{visible(TESTS['double'])}".replace("assert", "bool")


METADATA = tuple(
    Attack(name, "forged results", tries, _changed(change), 0.0)
    for name, tries, change in (
        ("skip-execution", "tags all cells as not to be run", _tag),
        ("more points", "makes each test worth 1,000 points", _points),
        ("emptied tests", "replaces the tests by their points", _emptied),
        ("deleted tests", "hands in without the tests", _without_tests),
        ("own tests", "adds test cells worth 100 points each", _more_tests),
        ("copied tests", "puts tests of the same ids, which pass, before the true ones", _copies),
        ("swapped roles", "makes tests into solutions and solutions into tests", _swapped),
        ("one id for all", "gives all cells the same grade id", _other_ids),
        ("outputs handed in", "hands in outputs and metadata that claim points", _outputs),
        ("tests in answers", "runs the tests in the answer cells", _tests_as_answers),
    )
)

FORGED: tuple[Attack, ...] = (
    *SHELL, *(_object(*each) for each in OBJECTS), *EXITS, *EXITS_IN_CALLS, *EXCEPTIONS,
    *PROTOCOL, *MAGICS, *METADATA,
)  # fmt: skip
