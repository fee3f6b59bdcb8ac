"""What a page shows of a cell's outputs: their public form, as safe HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from course_lib.grading.feedback.clean import clean_html, plain_text, png, without_headings
from course_lib.grading.template import joined

LONGEST = 4_000  # characters of text of one output
PICTURES = 3_000_000  # base64 characters of the pictures of one cell
Output = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """One output on the page: kind is "report" (safe HTML), "text", "picture" or "note"."""

    kind: str
    content: str


def public_outputs(cell: Mapping[str, Any], secretive: bool) -> list[Output]:
    """Give the outputs of a code cell that students may see.

    The judge lists them in the cell's metadata ("judge": {"public": […]}, null for an output that
    is not shown), or leaves the list out where all may be seen.

    secretive: the cell holds lines that students were not given. An error without a public form
    is then replaced by its bare fact, since a traceback quotes the cell's lines and values.
    """
    judge = cell.get("metadata", {}).get("judge")
    if isinstance(judge, Mapping) and isinstance(judge.get("public"), list):
        return [output for output in judge["public"] if isinstance(output, Mapping)]
    found: list[Output] = []
    for output in cell.get("outputs", []):
        if secretive and output.get("output_type") == "error":
            found.append(stream("This test failed.\n"))
        elif not (secretive and output.get("name") == "stderr"):
            found.append(output)
    return found


def stream(text: str) -> Output:
    """Return text as an output of a notebook."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(outputs: Iterable[Output], trusted: bool) -> list[Shown]:
    """Turn public outputs into pieces of the page, in order.

    trusted: the judge wrote them. HTML of others is not even considered; that of the judge is
    cleaned too.
    """
    found: list[Shown] = []
    room = PICTURES
    for output in outputs:
        kind = output.get("output_type")
        if kind == "stream":
            found.append(Shown("text", shortened(joined(output.get("text", "")))))
        elif kind == "error":
            found.append(Shown("text", shortened(_error(output))))
        elif kind in ("display_data", "execute_result"):
            piece = _rich(output.get("data") or {}, trusted, room)
            room -= len(piece.content) if piece.kind == "picture" else 0
            found.append(piece)
    return [piece for piece in found if piece.content.strip()]


def _rich(data: Mapping[str, Any], trusted: bool, room: int) -> Shown:
    if trusted and "text/html" in data:
        html = without_headings(clean_html(joined(data["text/html"])))
        if html.strip():
            return Shown("report", html)
    if "image/png" in data:
        picture = png(data["image/png"])
        if picture and len(picture) <= room:
            return Shown("picture", picture)
        return Shown("note", "A picture is left out: it is no PNG, or there are too many.")
    return Shown("text", shortened(joined(data.get("text/plain", ""))))


def _error(output: Output) -> str:
    trace = output.get("traceback") or []
    text = "\n".join(str(line) for line in trace) if isinstance(trace, list) else ""
    return text or f"{output.get('ename', '')}: {output.get('evalue', '')}"


def shortened(text: str) -> str:
    """Return a text without its middle if it is long."""
    text = plain_text(text).rstrip("\n")
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    left = len(text) - LONGEST
    return f"{text[:half]}\n… ({left:,} characters left out) …\n{text[-half:]}"
