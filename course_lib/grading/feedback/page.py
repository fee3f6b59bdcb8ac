"""The feedback page of one notebook of one student: a single small file that works offline."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import jinja2

from course_lib.grading.feedback.clean import plain_text
from course_lib.grading.feedback.formula import mathml
from course_lib.grading.feedback.parts import read_parts
from course_lib.grading.feedback.remarks import remarks_for_students
from course_lib.grading.feedback.verdict import points
from course_lib.grading.marks.records import NotebookMarks
from course_lib.grading.template import Delimiters


def content_policy(style: str, script: str = "") -> str:
    """Return a Content-Security-Policy that lets in one stylesheet, one script and data pictures.

    Both are named by their hash, so nothing that slips into the page can style it or run in it.
    """
    rules = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    for name, text in (("style-src", style), ("script-src", script)):
        if text:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            rules.append(f"{name} 'sha256-{digest}'")
    return "; ".join(rules)


@dataclass(frozen=True)
class _Look:
    template: jinja2.Template
    style: str
    digest: str


@lru_cache(maxsize=1)
def _look() -> _Look:
    folder = files(__package__)
    style = (folder / "page.css").read_text("utf-8")
    source = (folder / "page.html.j2").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["points"] = points
    environment.filters["plain"] = plain_text
    code = "".join(
        (folder / f"{name}.py").read_text("utf-8")
        for name in (
            "clean", "code", "formula", "hidden", "outputs", "page", "parts", "prose", "remarks",
            "room", "verdict",
        )
    )  # fmt: skip
    code += str(bool(mathml("x")))  # whether there is a converter
    digest = hashlib.sha256((source + style + code).encode()).hexdigest()
    return _Look(environment.from_string(source), style, digest)


def page_version() -> str:
    """Return a digest that changes whenever pages would look different."""
    return _look().digest


def render_page(
    notebook: Mapping[str, Any],
    marks: NotebookMarks,
    assignment: str = "",
    delimiters: Delimiters | None = None,
    fingerprint: str = "",
) -> str:
    """Return the page of a graded notebook (JSON of format 4, as it lies in autograded/).

    marks: the gradebook's word on it, which counts where the judge's differs.
    """
    look = _look()
    parts = read_parts(notebook, marks, delimiters)
    verdicts = [(part, verdict) for part in parts for verdict in part.verdicts]
    return look.template.render(
        name=marks.notebook,
        student=marks.student,
        assignment=assignment,
        marks=marks,
        parts=parts,
        rows=verdicts,
        remarks=remarks_for_students(notebook),
        waiting=sum(v.max_score for _, v in verdicts if v.state == "waiting"),
        style=look.style,
        policy=content_policy(look.style),
        fingerprint=fingerprint,
    )
