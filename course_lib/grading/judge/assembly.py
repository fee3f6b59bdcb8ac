"""The graded notebook: the instructor's cells, the student's answers, and what they showed."""

from __future__ import annotations

import binascii
import copy
import hashlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from course_lib.grading.judge.written import harmless
from course_lib.grading.pictures import is_small_png
from course_lib.grading.plan import EXTRA, Step
from course_lib.grading.result import CellScore
from course_lib.grading.template import Template, TemplateCell

MOST_OUTPUTS = 200
MOST_WORDS = 50_000  # characters of a student's own that are looked at as Markdown


def safe_outputs(told: Any, limit: int) -> list[dict[str, Any]]:
    """Return what the far side says it showed, as far as it is text or PNG pictures."""
    found: list[dict[str, Any]] = []
    left = limit + 1000
    for output in told[:MOST_OUTPUTS] if isinstance(told, list) else ():
        if not isinstance(output, dict):
            continue
        told_kind = output.get("output_type")
        if not isinstance(told_kind, str):
            continue
        if told_kind == "stream":
            text = output.get("text", "")
            text = _without_nulls(text[: max(0, left)] if isinstance(text, str) else "")
            left -= len(text)
            name = "stderr" if str(output.get("name")) == "stderr" else "stdout"
            found.append({"output_type": "stream", "name": name, "text": text})
            continue
        data = _safe_data(output.get("data"), left)
        left -= sum(len(value) for value in data.values())
        kind = "execute_result" if told_kind == "execute_result" else "display_data"
        kept: dict[str, Any] = {"output_type": kind, "data": data, "metadata": {}}
        if kind == "execute_result":
            kept["execution_count"] = None
        if data:
            found.append(kept)
    return found


def _without_nulls(text: str) -> str:
    return text.replace("\0", "")  # which neither HTML nor every database takes


def _safe_data(told: Any, left: int) -> dict[str, str]:
    data: dict[str, str] = {}
    if not isinstance(told, dict):
        return data
    text, picture = told.get("text/plain"), told.get("image/png")
    if isinstance(text, str):
        data["text/plain"] = _without_nulls(text[: max(0, left)])
    if isinstance(picture, str) and len(picture) <= left:
        try:
            if is_small_png(b64decode(picture, validate=True)):
                data["image/png"] = picture
        except (binascii.Error, ValueError):
            pass
    return data


def assemble(
    plan: Sequence[Step],
    template: Template,
    outputs: Mapping[str, list[dict[str, Any]]],
    public: Mapping[str, list[dict[str, Any] | None]],
    scores: Mapping[str, CellScore],
) -> dict[str, Any]:
    """Return the graded notebook in format 4."""
    cells = []
    words = 0
    for number, step in enumerate(plan):
        cell = _cell(step, template, number)
        if _theirs(step) and step.cell_type != "code":
            words += len(step.source)
            cell["source"] = harmless(step.source, step.cell_type, typed=words > MOST_WORDS)
        if step.cell_type == "code":
            cell["execution_count"] = None
            cell["outputs"] = outputs.get(step.label, [])
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
        judge = _about(step, scores, cell.get("outputs", []), public.get(step.label, []))
        if judge:
            cell["metadata"]["judge"] = judge
        cells.append(cell)
    notebook = {k: copy.deepcopy(v) for k, v in template.notebook.items() if k != "cells"}
    return {**notebook, "cells": cells}


def _cell(step: Step, template: Template, number: int) -> dict[str, Any]:
    if step.cell is None:
        cell: dict[str, Any] = {"cell_type": step.cell_type, "metadata": {}}
        if template.notebook.get("nbformat_minor", 0) >= 5:
            cell["id"] = f"own-{number}"
    else:
        cell = copy.deepcopy(dict(template.notebook["cells"][step.cell.index]))
        cell.pop("attachments", None)
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["checksum"] = checksum(step.cell, cell["metadata"])
    cell["source"] = step.source
    return cell


def _theirs(step: Step) -> bool:
    """Say whether a student wrote a cell's text: an answer as it was handed out is not theirs."""
    return step.cell is None or (step.cell.answered and step.source != step.cell.public)


def _about(
    step: Step,
    scores: Mapping[str, CellScore],
    outputs: Sequence[dict[str, Any]],
    public: Sequence[dict[str, Any] | None],
) -> dict[str, Any]:
    """Return what the judge notes in a cell's metadata.

    "score": the CellScore; "public": for each output what a student may see of it, null for
    nothing; left out where that is all. "own": a cell that the student added.
    """
    about: dict[str, Any] = {}
    if step.cell is not None and step.cell.grade_id in scores:
        about["score"] = asdict(scores[step.cell.grade_id])
    if list(public) != list(outputs):
        about["public"] = list(public)
    if step.kind == EXTRA:
        about["own"] = True
    return about


def checksum(cell: TemplateCell, metadata: Mapping[str, Any]) -> str:
    """Return nbgrader's checksum of a cell as it was handed out, hidden tests included."""
    marks = metadata["nbgrader"]
    grade, solution = bool(marks.get("grade")), bool(marks.get("solution"))
    locked = False if solution else True if grade else bool(marks.get("locked"))
    text = cell.public if cell.answered else cell.source
    parts = [text, cell.cell_type, str(grade), str(solution), str(locked), cell.grade_id]
    if grade:
        parts.append(str(float(cell.points)))
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()
