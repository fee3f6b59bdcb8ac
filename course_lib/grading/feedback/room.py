"""How much of a notebook goes into its page: each page ends, however much was handed in.

A cell is bounded where it is shown; a notebook may have thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from course_lib.grading.feedback.code import LONGEST, code
from course_lib.grading.feedback.outputs import Shown
from course_lib.grading.feedback.prose import prose

FORMATTED = 400_000  # characters of code that are coloured, and of Markdown that is set
TEXT = 2_000_000  # characters of HTML
PICTURES = 12_000_000  # base64 characters
AROUND = 80  # characters of the elements around an output, at most
LEFT_OUT = "Left out here: the notebook is too long for this page."
LEFT_OUT_HTML = f"<p>{LEFT_OUT}</p>"


@dataclass
class Room:
    """What is left of a page for the cells that share it."""

    formatted: int = FORMATTED
    text: int = TEXT
    pictures: int = PICTURES

    def formats(self, source: str) -> bool:
        """Whether there is time to colour or set this; if so, it is taken."""
        length = min(len(source), LONGEST)
        if length > self.formatted:
            return False
        self.formatted -= length
        return True

    def takes(self, length: int, picture: bool = False) -> bool:
        """Whether so many characters fit; if so, they are taken."""
        if picture:
            if length > self.pictures:
                return False
            self.pictures -= length
        else:
            if length > self.text:
                return False
            self.text -= length
        return True

    def code(self, source: str) -> str:
        """Return code as HTML: coloured, or plain once much was coloured, or a note."""
        html = code(source, self.formats(source))
        return html if self.takes(len(html)) else LEFT_OUT

    def prose(self, source: str) -> str:
        """Return Markdown as HTML: set, or as it was typed once much was set, or a note."""
        html = prose(source, typed=not self.formats(source))
        return html if self.takes(len(html)) else LEFT_OUT_HTML

    def outputs(self, outputs: Iterable[Shown]) -> list[Shown]:
        """Return the outputs that fit, and one note in place of any others."""
        outputs = list(outputs)
        kept = [
            one for one in outputs if self.takes(len(one.content) + AROUND, one.kind == "picture")
        ]
        return kept if len(kept) == len(outputs) else [*kept, Shown("note", LEFT_OUT)]
