"""Formulas as MathML, which browsers set without a script and offline.

The converter, latex2mathml, is given TeX and nothing else, and what it gives is written anew from
an allow list of elements and attributes. So no MathML that a student wrote reaches a page. What
cannot be converted stays TeX, in <var>.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from html import escape, unescape
from typing import Any

LONGEST = 1_000  # characters of one formula
MOST = 400  # formulas of one text
WIDE = 60  # characters of TeX, from which a formula has a line of its own that scrolls
ELEMENTS = frozenset((
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom",
    "mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup",
    "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none",
))  # fmt: skip
ATTRIBUTES = frozenset((
    "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display",
    "displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace", "mathsize",
    "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing",
    "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width",
))  # fmt: skip
VALUE = re.compile(r"[A-Za-z0-9 ]{0,40}")
LENGTHS = frozenset(("depth", "height", "linethickness", "lspace", "rspace", "voffset", "width"))
LENGTH = re.compile(r"-?0?\.\d{1,6}em|\d(?:\.\d{1,6})?(?:em|ex|px|pt)|0")  # nothing to cover others
# Macros that call themselves would never end, and ones that double would fill the memory.
DEFINES = re.compile(
    r"\\(?:(?:re)?new|provide|declare)|\\[egx]?def(?![a-z])|\\let(?![a-z])", re.IGNORECASE
)
MARKED = re.compile(r"<div><var>([^<]*)</var></div>|<var>([^<]*)</var>")


class NotConvertedError(ValueError):
    """The formula stays TeX."""


def set_formulas(html: str) -> str:
    """Put MathML in the place of each <var> of clean HTML; one alone in a <div> is displayed."""
    left = MOST

    def one(found: re.Match[str]) -> str:
        nonlocal left
        left -= 1
        tex = unescape(found[1] if found[1] is not None else found[2])
        display = found[1] is not None or len(tex) > WIDE
        math = mathml(tex, display) if left >= 0 else ""
        if not math:
            return found[0]
        stop = ' tabindex="0"' if len(tex) > WIDE else ""  # what scrolls has to take the focus
        return f'<span class="formula"{stop}>{math}</span>' if display else math

    return MARKED.sub(one, html)


@lru_cache(maxsize=2048)
def mathml(tex: str, display: bool = False) -> str:
    """Return a formula as MathML, "" where it cannot be converted or there is no converter."""
    if len(tex) > LONGEST or DEFINES.search(tex):
        return ""
    try:
        converter = importlib.import_module("latex2mathml.converter")
    except ImportError:
        return ""
    try:
        made = converter.convert_to_element(tex, display="block" if display else "inline")
        text = _written(made)
    except Exception:  # the converter's own errors are many, and IndexError is one of them
        return ""
    return text if "\\" not in text else ""  # it leaves commands that it does not know as words


def _written(element: Any) -> str:
    if element.tag not in ELEMENTS:
        raise NotConvertedError(element.tag)
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and (LENGTH if name in LENGTHS else VALUE).fullmatch(value)
    )
    # The converter writes characters as references ("&#x003B1;").
    inside = escape(unescape(element.text or ""), quote=False)
    inside += "".join(_written(child) for child in element)
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>"
