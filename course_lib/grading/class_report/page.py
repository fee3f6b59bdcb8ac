"""The report's HTML page."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2

from course_lib.grading.class_report.bars import bars
from course_lib.grading.class_report.rows import ClassReport
from course_lib.grading.class_report.statistics import histogram, mean, median, spread
from course_lib.grading.feedback.clean import plain_text
from course_lib.grading.feedback.page import content_policy
from course_lib.grading.feedback.verdict import points
from course_lib.grading.marks.course import Course

SECONDS = ((86_400, "d"), (3_600, "h"), (60, "min"))
TOP, SHOWN = 10, 8  # mistakes of all exercises, and of one before the rest is folded
WELL, FAIR = 0.3, 0.2  # Ebel and Frisbie's bounds for the discrimination index
ENOUGH = 30  # students, below which the index is too rough to colour it


@lru_cache(maxsize=1)
def _look() -> tuple[jinja2.Template, str, str]:
    folder = files(__package__)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"points": _points, "plain": plain_text, "span": time_span}
    template = environment.from_string((folder / "page.html.j2").read_text("utf-8"))
    style = (folder / "page.css").read_text("utf-8")
    return template, style, (folder / "page.js").read_text("utf-8")


def _points(value: float | None) -> str:
    return "–" if value is None else points(value)


def time_span(seconds: float) -> str:
    """Write a time span in two units at most: 2 d 3 h, 45 min, 12 s."""
    for index, (length, unit) in enumerate(SECONDS):
        if seconds >= length:
            whole, rest = divmod(int(seconds), length)
            if index + 1 < len(SECONDS):
                smaller, name = SECONDS[index + 1]
                if rest >= smaller:
                    return f"{whole} {unit} {rest // smaller} {name}"
            return f"{whole} {unit}"
    return f"{seconds:.0f} s"


def _level(value: float | None, students: int) -> str:
    if value is None or students < ENOUGH:
        return ""
    return "good" if value >= WELL else "fair" if value >= FAIR else "poor"


def _links(course: Course, report: ClassReport, folder: Path, formgrader: str) -> dict[str, Any]:
    """Give functions that lead from the report to a student's notebook, "" where there is none."""
    numbers = {(n.student, n.notebook): n.id for n in report.marks.notebooks()}

    def to_file(step: str, ending: str) -> Callable[[str, str], str]:
        def link(student: str, notebook: str) -> str:
            path = course.folder(step, student, report.assignment) / f"{notebook}{ending}"
            return quote(os.path.relpath(path, folder)) if path.is_file() else ""

        return link

    def to_formgrader(student: str, notebook: str) -> str:
        number = numbers.get((student, notebook))
        return f"{formgrader.rstrip('/')}/submissions/{quote(number)}" if number else ""

    feedback = to_file(course.feedback, ".html")
    return {
        "feedback": lru_cache(maxsize=None)(feedback),
        "graded": to_file(course.autograded, ".ipynb"),
        "formgrader": to_formgrader if formgrader else lambda student, notebook: "",
    }


def render(course: Course, report: ClassReport, folder: Path, formgrader: str = "") -> str:
    """Return the page as it will lie in `folder`, from where its links lead.

    Raises:
        ValueError: the formgrader's address is none of a web page.
    """
    if formgrader and not formgrader.startswith(("http://", "https://")):
        raise ValueError(
            f"the formgrader's address is {formgrader!r}, expected one that begins with http:// "
            "or https://, such as http://localhost:8888/formgrader"
        )
    template, style, script = _look()
    most = report.marks.max_score
    totals = report.totals
    bins = histogram(totals, most)
    middle = median(totals)
    description = (
        f"Histogram of {len(totals)} totals from 0 to {points(most)} points"
        + (f", median {points(middle)}" if middle is not None else "")
        + "; the table below it has the numbers"
    )
    mistakes = [
        (exercise, list(rows)) for exercise, rows in groupby(report.mistakes, lambda m: m.exercise)
    ]
    common = sorted(report.mistakes, key=lambda m: -len(m.students))[:TOP]
    return template.render(
        report=report,
        most=most,
        bins=bins,
        drawing=bars(bins, description),
        centre={"mean": mean(totals), "median": middle, "spread": spread(totals)},
        mistakes=mistakes,
        by_hand=[row for row in report.exercises if row.waiting],
        several=len({e.notebook for e in report.marks.exercises}) > 1,
        top=common if len(mistakes) > 1 else [],
        shown=SHOWN,
        level=_level,
        style=style,
        script=script,
        policy=content_policy(style, script),
        **_links(course, report, folder, formgrader),
    )
