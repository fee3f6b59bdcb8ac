"""Text of students, as it may be printed in a terminal, and names, as they may stand in a page."""

from __future__ import annotations

import re

# What ends a text or a script's string in nbgrader's own pages, which escape no name.
MARKUP = re.compile(r"""[<>&"\\\x00-\x1f\x7f]""")


def printable(text: str) -> str:
    """Return the text with nothing in it that would command a terminal or turn lines around.

    Line ends and tabs stay; other blanks become spaces, what cannot be printed is left out.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or c.isprintable() else " " if c.isspace() else "" for c in text
    )
