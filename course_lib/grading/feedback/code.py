"""Python code with its words told apart, in as few bytes and in as little time as will do.

Pygments would know more, but takes time with the square of what stands between two lines.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from keyword import iskeyword

from course_lib.grading.feedback.clean import plain_text

LONGEST = 20_000  # characters of one cell
# Elements instead of classes: <b> keyword, <i> comment, <q> string, <u> number; nothing else. One
# pass: every alternative that begins also ends. A string without an end goes to the end of its
# line, one of three quotes to the end of the cell.
_PREFIX = r"[rRbBuUfF]{0,2}"
_TOKEN = re.compile(
    rf"(?P<q>{_PREFIX}(?:'''(?:[^'\\]++|\\.|'(?!''))*(?:'''|\\?\Z)"
    r'|"""(?:[^"\\]++|\\.|"(?!""))*(?:"""|\\?\Z)'
    r"|'(?:[^'\\\n]++|\\.)*'?"
    r'|"(?:[^"\\\n]++|\\.)*"?))'
    r"|(?P<i>#[^\n]*+)"
    r"|(?P<u>0[xXoObB][0-9a-fA-F_]++"
    r"|(?:[0-9][0-9_]*+\.?[0-9_]*+|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9][0-9_]*+)?[jJ]?)"
    r"|(?P<word>\w++)",
    re.DOTALL,
)


@lru_cache(maxsize=256)
def code(source: str, coloured: bool = True) -> str:
    """Return code as HTML for a <pre>; the end of a very long one is left out."""
    source = plain_text(source)
    left = len(source) - LONGEST
    source = source[:LONGEST]
    html = _coloured(source) if coloured else escape(source, quote=False)
    return html + (f"\n… ({left:,} more characters)" if left > 0 else "")


def _coloured(source: str) -> str:
    parts: list[str] = []
    element, start, end = "", 0, 0  # the run of one kind so far
    for token in _TOKEN.finditer(source):
        kind = token.lastgroup or ""
        if kind == "word":
            kind = "b" if iskeyword(token[0]) else ""
        if token.start() > end and element and not source[end : token.start()].isspace():
            parts.append(_wrapped(element, source[start:end]))
            element, start = "", end
        if kind != element:
            parts.append(_wrapped(element, source[start : token.start()]))
            element, start = kind, token.start()
        end = token.end()
    if element:
        parts.append(_wrapped(element, source[start:end]))
        start = end
    parts.append(_wrapped("", source[start:]))
    return "".join(parts)


def _wrapped(element: str, text: str) -> str:
    text = escape(text, quote=False)
    return f"<{element}>{text}</{element}>" if element and text else text
