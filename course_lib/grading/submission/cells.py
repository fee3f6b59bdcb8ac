"""One cell as it was handed in, and the repair of its text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_CELLS = 2_000  # of one notebook
MAX_PARSED = 200_000  # characters of code that are parsed
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
# Blanks that Python does not take for blanks, and marks of no width.
_ODD_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200b-\u200d\u2060\ufeff]")
_NO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
# A string, a comment, or outside both an odd blank or a typographic quote. A string without an
# end goes to the end.
_CODE_PART = re.compile(
    r"'''(?:[^'\\]++|\\.|'(?!''))*(?:'''|\\?\Z)"
    r'|"""(?:[^"\\]++|\\.|"(?!""))*(?:"""|\\?\Z)'
    r"|'(?:[^'\\\n]++|\\.)*'?"
    r'|"(?:[^"\\\n]++|\\.)*"?'
    r"|#[^\n]*+"
    "|([\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200b-\u200d\u2060\ufeff])"
    "|([\u2018-\u201f\u2032\u2033\u00ab\u00bb])",
    re.DOTALL,
)
_MAGIC = re.compile(
    r"^([ \t]*+)(?:[%!?][^\n]*+|[^\n=#'\"]*+=[ \t]*+[%!][^\n]*+|[\w.]++\?{1,2}[ \t]*+)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class SubmittedCell:
    """A cell of the submission.

    cell_type: "code", "markdown" or "raw". marks: what its metadata say to nbgrader.
    cell_id: the notebook format's own id. oddities: what was repaired in the text.
    """

    source: str
    cell_type: str = "code"
    marks: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    cell_id: str = ""
    oddities: frozenset[str] = frozenset()

    @property
    def grade_id(self) -> str:
        """The id that nbgrader gave it, as far as the metadata can be believed; "" for none."""
        grade_id = self.marks.get("grade_id")
        return grade_id if isinstance(grade_id, str) else ""


def key(source: str) -> str:
    """Return the text without what does not count in a comparison: trailing blanks, line ends."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def clean(source: str, cell_type: str) -> tuple[str, frozenset[str]]:
    """Return the text as Python and JSON can take it, and the names of what was repaired."""
    found = set()
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    if source.isascii() and source.isprintable():
        return source, frozenset()
    if _LONE_SURROGATE.search(source):
        found.add("surrogates")
        source = _LONE_SURROGATE.sub("\ufffd", source)
    if _CONTROL.search(source):
        found.add("control_characters")
        source = _CONTROL.sub("", source)
    if cell_type == "code" and not source.isascii() and len(source) <= MAX_PARSED:
        if _ODD_BLANK.search(source) and not parses(source):
            repaired = _CODE_PART.sub(_plain_blank, source)
            if repaired != source:
                found.add("odd_blanks")
                source = repaired
        if any(part[2] for part in _CODE_PART.finditer(source)) and not parses(source):
            found.add("smart_quotes")
    return source, frozenset(found)


def _plain_blank(part: re.Match[str]) -> str:
    if part[1] is None:
        return part[0]
    return "" if part[1] in _NO_WIDTH else " "


def parses(source: str) -> bool:
    """Whether it is Python, the magics of IPython aside; False for very long code."""
    return source.lstrip().startswith("%%") or _fault(source) is None


def mixes_indentation(source: str) -> bool:
    """Whether Python refuses it because of how tabs and blanks are mixed."""
    return "\t" in source and isinstance(_fault(source), TabError)


def _fault(source: str) -> BaseException | None:
    if len(source) > MAX_PARSED:
        return ValueError("too long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(_MAGIC.sub(r"\1pass", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        return fault
    return None
