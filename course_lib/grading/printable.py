"""Text of students, as it may be printed in a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text with nothing in it that would command a terminal or turn lines around.

    Line ends and tabs stay; other blanks become spaces, what cannot be printed is left out.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or c.isprintable() else " " if c.isspace() else "" for c in text
    )
