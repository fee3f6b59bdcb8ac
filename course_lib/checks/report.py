"""What a check says to the student: points by part, and the mistakes by name.

A `Report` shows itself: as HTML in a notebook, as plain text elsewhere, as a dict for JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import Any

LESSONS = "../../notebooks/lesson-14"  # as seen from the exercises


def _markup(text: str) -> str:
    """Escape a text for HTML; what stands between backticks is code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))


@dataclass(frozen=True)
class Diagnosis:
    """One named mistake.

    id: a stable name, such as "scale_sqrt_d"; title: the mistake in a few words;
    message: what was tried, came and was expected, and the likely cause;
    section: the lesson to read again.
    """

    id: str
    title: str
    message: str
    section: str


@dataclass(frozen=True)
class PartResult:
    """One part of the exercise: the points it is worth and those earned."""

    title: str
    points: float
    earned: float

    @property
    def passed(self) -> bool:
        """Whether the part was earned in full."""
        return self.earned >= self.points


@dataclass(frozen=True)
class Report:
    """The result of checking one function.

    visible is False in grading: then no hidden input or exception text is in the messages.
    seed is the one the inputs were drawn from, so that a grade can be reproduced.
    """

    exercise: str
    parts: tuple[PartResult, ...]
    diagnoses: tuple[Diagnosis, ...] = ()
    error: str | None = None
    visible: bool = True
    seed: int | None = field(default=None, compare=False)

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum(part.earned for part in self.parts), 6)

    @property
    def max_score(self) -> float:
        """The points that a right answer earns."""
        return round(sum(part.points for part in self.parts), 6)

    @property
    def passed(self) -> bool:
        """Whether every part was earned."""
        return self.error is None and all(part.passed for part in self.parts)

    @property
    def _untold(self) -> str:
        """The exception, if no diagnosis tells of it."""
        told = any(d.id == "raises" for d in self.diagnoses)
        return "" if told else self.error or ""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "exercise": self.exercise,
            "passed": self.passed,
            "score": self.score,
            "max_score": self.max_score,
            "parts": [
                {"title": p.title, "points": p.points, "earned": p.earned} for p in self.parts
            ],
            "diagnoses": [
                {"id": d.id, "title": d.title, "message": d.message, "section": d.section}
                for d in self.diagnoses
            ],
            "error": self.error,
        }

    def __str__(self) -> str:
        head = f"{self.exercise}: {self.score:g} of {self.max_score:g} points"
        lines = [head + (", all right." if self.passed else "")]
        if not self.passed:
            lines += [
                f"  {'✓' if part.passed else '✗'} {part.title} ({part.earned:g}/{part.points:g})"
                for part in self.parts
            ]
        lines += [f"  error: {self._untold}"] if self._untold else []
        for found in self.diagnoses:
            lines += ["", f"  ▸ {found.title}", *(f"    {t}" for t in found.message.split("\n"))]
            lines += [f"    Read again: {found.section}."] if found.section else []
        return "\n".join(lines)

    __repr__ = __str__

    def _linked(self, section: str) -> str:
        """Return a section in HTML; in the notebook the lesson's name leads to the lesson."""
        lesson, comma, rest = escape(section).partition(",")
        if not self.visible:
            return lesson + comma + rest
        return f"<a href='{LESSONS}/{lesson}.ipynb'>{lesson}</a>{comma}{rest}"

    def _repr_html_(self) -> str:
        colour = "#1a7f37" if self.passed else "#9a6700" if self.score else "#cf222e"
        rows = "".join(
            f"<li style='list-style:none'>{'✓' if part.passed else '✗'} {escape(part.title)} "
            f"<span style='opacity:.65'>{part.earned:g}/{part.points:g}</span></li>\n"
            for part in self.parts
        )
        cards = "".join(
            f"<div style='margin:.5em 0;padding:.4em .8em;border-left:4px solid {colour}'>"
            f"<b>{_markup(found.title)}</b><br>\n"
            + _markup(found.message).replace("\n", "<br>\n")
            + (f"<br><i>Read again: {self._linked(found.section)}.</i>" if found.section else "")
            + "</div>\n"
            for found in self.diagnoses
        )
        error = (
            f"<p style='white-space:pre-wrap'>{_markup(self._untold)}</p>" if self._untold else ""
        )
        return (
            f"<div><b style='color:{colour}'>{escape(self.exercise)}: {self.score:g} of "
            f"{self.max_score:g} points{', all right' if self.passed else ''}</b>\n"
            f"<ul style='margin:.3em 0;padding-left:.5em'>{rows}</ul>{error}{cards}</div>"
        )
