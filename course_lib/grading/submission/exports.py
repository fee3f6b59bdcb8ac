"""Notebooks inside other files: a zip archive, a web page or Markdown made from a notebook."""

from __future__ import annotations

import html
import io
import re
import zipfile

from course_lib.grading.submission.cells import MAX_CELLS, SubmittedCell, clean
from course_lib.grading.submission.zip_directory import directory_size

MAX_UNPACKED = 2**26  # bytes of a notebook in an archive
MAX_PAGE = 2**20  # bytes of a web page or a text that are read
_MAX_DIRECTORY = 2**18  # bytes of an archive's list of names: a thousand or two
_FENCE = re.compile(r"^```([^\n`]*+)(?:\n|\Z)", re.MULTILINE)
_PYTHON = re.compile(r"[ \t]*\{?(?:python3?|py|ipython3?)\b")
_BREAK = re.compile(r"</(?:p|li|h[1-6]|tr)>(?=<)")
_DIV = re.compile(r"<div\b([^<>]*+)>")
_PRE = re.compile(r"\s*+(?:<span></span>)?<pre\b[^<>]*+>")
_CELL_ID = re.compile(r'\bid="cell-id=([^"]*+)"')
_TAG = re.compile(r"<[^<>]*+>")


def notebook_in_zip(data: bytes) -> bytes | None:
    """Return the one notebook in an archive, None if there is none, or more, or it is too big."""
    file = io.BytesIO(data)
    try:
        if directory_size(file) > _MAX_DIRECTORY:
            return None
        with zipfile.ZipFile(file) as archive:
            found = [
                member
                for member in archive.infolist()
                if member.filename.lower().endswith(".ipynb")
                and not re.search(r"__MACOSX|\.ipynb_checkpoints", member.filename)
            ]
            if len(found) != 1 or found[0].file_size > MAX_UNPACKED:
                return None
            with archive.open(found[0]) as member:
                text = member.read(MAX_UNPACKED + 1)
    except Exception:  # zipfile, zlib, bz2, lzma and struct each have errors of their own
        return None
    return text if len(text) <= MAX_UNPACKED else None


def cells_of_page(page: str) -> list[SubmittedCell]:
    """Return the cells of a notebook that Jupyter exported as a web page; [] if it is another."""
    cells: list[SubmittedCell] = []
    if "jp-Notebook" not in page and "text_cell_render" not in page:
        return cells
    end, cell_id = 0, ""
    for mark in _DIV.finditer(page):
        if mark.start() < end:
            continue
        if len(cells) > MAX_CELLS:
            break
        if named := _CELL_ID.search(mark[1]):
            cell_id = html.unescape(named[1])[:64]
        if "highlight" in mark[1] and (pre := _PRE.match(page, mark.end())):
            kind, start, end = "code", pre.end(), page.find("</pre>", pre.end())
        elif "RenderedMarkdown" in mark[1] or "text_cell_render" in mark[1]:
            kind, start, end = "markdown", mark.end(), page.find("</div>", mark.end())
        else:
            continue
        if end < 0:
            break
        text = html.unescape(_TAG.sub("", _BREAK.sub(r"\n\g<0>", page[start:end]))).replace(
            "\u00b6", ""
        )
        cells.append(SubmittedCell(clean(text.strip("\n"), kind)[0], kind, cell_id=cell_id))
        cell_id = ""
    return cells


def cells_of_markdown(text: str) -> list[SubmittedCell]:
    """Return the cells of a notebook that was exported as Markdown; [] if it has no code."""
    cells: list[SubmittedCell] = []
    position, start, found = 0, -1, False
    for fence in _FENCE.finditer(text):
        if len(cells) > MAX_CELLS:
            break
        if start < 0 and _PYTHON.match(fence[1]):
            cells.append(SubmittedCell(text[position : fence.start()].strip(), "markdown"))
            start, found = fence.end(), True
        elif start >= 0 and not fence[1].strip():
            cells.append(SubmittedCell(clean(text[start : fence.start()].strip("\n"), "code")[0]))
            position, start = fence.end(), -1
    cells.append(SubmittedCell(text[position:].strip(), "markdown"))
    return [cell for cell in cells if cell.source] if found else []
