"""Python code with its words told apart, in as few bytes as will do."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import Token  # type: ignore[import-untyped]

from course_lib.grading.feedback.clean import plain_text

LONGEST = 20_000  # characters of one cell
# Pygments' time grows with the square of what stands between two words: 2 s for 20,000 blanks.
LONGEST_COLOURED = 5_000
FAR_APART = re.compile(r"\s{200}")
# Elements instead of classes: <b> keyword, <i> comment, <q> string, <u> number; nothing else.
ELEMENTS = (
    (Token.Comment, "i"),
    (Token.Keyword, "b"),
    (Token.Operator.Word, "b"),
    (Token.Literal.String, "q"),
    (Token.Literal.Number, "u"),
)
_lexer = PythonLexer(stripnl=False, ensurenl=False)


@lru_cache(maxsize=256)
def code(source: str, coloured: bool = True) -> str:
    """Return code as HTML for a <pre>; the end of a very long one is left out."""
    source = plain_text(source)
    left = len(source) - LONGEST
    source = source[:LONGEST]
    quick = len(source) <= LONGEST_COLOURED and not FAR_APART.search(source)
    html = _coloured(source) if coloured and quick else escape(source, quote=False)
    return html + (f"\n… ({left:,} more characters)" if left > 0 else "")


def _coloured(source: str) -> str:
    parts: list[str] = []
    open_element, run = "", ""
    for kind, text in _lexer.get_tokens(source):
        element = next((name for token, name in ELEMENTS if kind in token), "")
        if element != open_element and text.strip():
            parts.append(_wrapped(open_element, run))
            open_element, run = element, ""
        run += text
    parts.append(_wrapped(open_element, run))
    return "".join(parts)


def _wrapped(element: str, text: str) -> str:
    return f"<{element}>{escape(text, quote=False)}</{element}>" if element else escape(text, False)
