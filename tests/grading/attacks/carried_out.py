"""Attacks that would carry hidden inputs out, into what a student gets to see.

`shift` is called with secret keys; the attack keeps them, and `label`, tested visibly afterwards,
or a cell of the student's own, tells them.
"""

# ruff: noqa: E501 - one attack a line reads best
from __future__ import annotations

from tests.grading.attacks.attack import Attack, Places, later
from tests.grading.attacks.small_course import HONEST, Handed

FAMILY = "carried out"
KEEP = (
    "import builtins\nbuiltins.kept = kept = []\ndef shift(values, key):\n    kept.append(key)\n"
    "    {}\n    return [value + key for value in values]"
)


def _kept(
    name: str, tries: str, label: str = HONEST["label"], own: str = "", earns: float = 6.0,
    evidence: tuple[str, ...] = (), during: str = "pass", leaks: tuple[str, ...] = (),
) -> Attack:  # fmt: skip
    def handed(_: Places) -> Handed:
        after = {"shift": [later(own)], "label": [later(own)]} if own else {}
        return Handed(HONEST | {"shift": KEEP.format(during), "label": label}, [], after)

    return Attack(name, FAMILY, tries, handed, earns, evidence, leaks)


CODES = "'-'.join(str(ord(c)) for c in str(kept))"
CARRIED_OUT: tuple[Attack, ...] = (
    _kept("prints in the call", "prints the hidden inputs in the hidden test", earns=8.0,
          during="print('key', key, flush=True)"),
    _kept("prints to stderr", "writes them to stderr and as a warning", earns=8.0,
          during="import sys, warnings; print(key, file=sys.stderr); warnings.warn(str(key))"),
    _kept("displays in the call", "displays them in the hidden test", earns=8.0,
          during="display(key); display({'text/plain': str(key), 'text/html': str(key)}, raw=True)"),
    _kept("prints later", "prints them in a later visible test",
          "def label(n):\n    print(kept)\n    return 'even?'"),
    _kept("prints in a later cell", "prints them in a cell of its own", own="print('kept:', kept)",
          earns=8.0, evidence=("kept: []",)),
    _kept("shows in a later cell", "ends a cell with them", own="kept", earns=8.0),
    _kept("raises in a later cell", "raises them in a cell of its own", earns=8.0,
          own="raise type('K' + '_'.join(map(str, kept)).replace('-', '_'), (Exception,), {})(kept)"),
    _kept("raises in the hidden test", "raises them in the hidden test", earns=5.0,
          during="\n    if key > 99: raise ValueError(key)", evidence=("ValueError",)),
    _kept("asserts in the hidden test", "fails an assert with them as its message", earns=5.0,
          during="assert key < 99, f'got {key}'"),
    _kept("raises later", "raises them in a later visible test",
          "def label(n):\n    raise ValueError(f'kept {kept}')"),
    _kept("KeyError later", "raises them as a missing key",
          "def label(n):\n    return {}[str(kept)]"),
    _kept("type name later", "raises an exception whose type is named after them",
          "def label(n):\n    raise type('K' + '_'.join(map(str, kept)).replace('-', '_'), (Exception,), {})"),
    _kept("syntax error later", "raises a syntax error whose text and file they are",
          "def label(n):\n    raise SyntaxError(str(kept), ('<cell x>', 1, 1, str(kept)))"),
    _kept("result later", "returns them to a visible test whose message quotes the result",
          "def label(n):\n    return kept"),
    _kept("printed by the test", "returns them to a test that prints and shows the result", earns=8.0,
          label="def label(n):\n    return kept if n > 3 else 'even' if n == 2 else 'odd'"),
    _kept("result as codes", "returns them encoded", f"def label(n):\n    return {CODES}",
          leaks=("-57-48-52-49-55-55-",)),
    _kept("result in an error", "returns them, encoded, where the comparison quotes the result",
          f"def label(n):\n    return 'even' if n == 2 else {CODES}", leaks=("-57-48-52-49-55-55-",)),
    _kept("type of the result", "returns an object of a type that is named after them",
          "def label(n):\n    return type('K' + '_'.join(map(str, kept)).replace('-', '_'), (), {})()"),
    _kept("dtype of the result", "returns an array whose fields are named after them",
          "def label(n):\n    return np.zeros(2, dtype=[(str(kept), float)])"),
    _kept("kind of the name", "turns the function into an object of a type named after them",
          "label = type('K' + '_'.join(map(str, kept)).replace('-', '_'), (), {})()"),
    _kept("docstring", "turns them into the function's docstring and name", earns=8.0,
          label=HONEST["label"] + "\nlabel.__doc__ = label.__name__ = label.__qualname__ = str(kept)"),
    _kept("figure", "draws them", own="import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))\n"
          "plt.title(str(kept))\nplt.show()\nprint('drew', len(kept))", earns=8.0,
          evidence=("drew 0",)),
    _kept("patched cell", "patches the shell to tell them in every later cell", earns=8.0,
          during="get_ipython().display_formatter.format = lambda o, *a, **k: ({'text/plain': str(kept)}, {})",
          own="1"),
    _kept("prompts", "puts them into the file name of later code",
          "exec(compile('def label(n):\\n    raise ValueError', '<cell ' + 'x' * 9 + '>', 'exec'))",
          during="get_ipython().compile.cell = f'<cell {key}>'"),
    _kept("stops itself", "hits a limit with them in the message",
          "def label(n):\n    raise MemoryError(str(kept))"),
)  # fmt: skip
