"""What kind of file the bytes are, whatever its name says; and the bytes as UTF-8."""

from __future__ import annotations

import codecs
import re
from itertools import islice

NOTEBOOK, SCRIPT, EMPTY = "notebook", "script", "empty"
ZIP, PAGE = "a zip archive (or an Office document)", "a web page"

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# How files begin that are no text, and what to call them.
_BEGINNINGS = (
    (b"PK", ZIP),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"{\\rtf", "a rich-text document"),
    (b"\x80\x04", "a pickle"),
    (b"version https://git-lfs", "a pointer of Git LFS, not the file itself"),
)
_NOTEBOOK = re.compile(
    rb'\{\s*+"(?:cells|cell_type|worksheets|metadata|nbformat|nbformat_minor|id|source|outputs)"'
)
_HTML = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>|<!--.*?-->)?\s*+<(?:!doctype|html|head|body)", re.IGNORECASE | re.DOTALL
)
_BLANK = re.compile(rb"[\0\s]*+")
_CONFLICT = re.compile(rb"^(<{7}|\|{7}|={7}|>{7})(?:[ \t\r][^\n]*+)?(?:\n|\Z)", re.MULTILINE)
MAX_MARKERS = 10_000  # of merges, in one file


def as_utf8(data: bytes) -> tuple[bytes, set[str]]:
    """Return the bytes in UTF-8 without a mark in front, and what was odd about them.

    Bytes that are no UTF-8 stay as they are; whoever decodes them takes them for Latin-1.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            if encoding == "utf-8":
                return data[len(bom) :], {"byte_order_mark"}
            return data.decode(encoding, "replace").encode("utf-8", "replace"), {"encoding"}
    for beginning, encoding in ((b"{\0", "utf-16-le"), (b"\0{", "utf-16-be")):
        if data.startswith(beginning):
            return data.decode(encoding, "replace").encode("utf-8", "replace"), {"encoding"}
    return data, set()


def kind_of(data: bytes) -> tuple[str, int]:
    """Return what the file is, and where its content begins.

    The kind is `NOTEBOOK`, `SCRIPT`, `EMPTY`, or a few words for what cannot be read.
    """
    blank = _BLANK.match(data)
    start = blank.end() if blank else 0
    if start == len(data):
        return EMPTY, 0
    for beginning, words in _BEGINNINGS:
        if data.startswith(beginning, start):
            return words, start
    if _HTML.match(data[:2000]):
        return PAGE, start
    if data.startswith(b"{", start):
        return NOTEBOOK, start
    found = _NOTEBOOK.search(data, 0, 2**16)
    if found and data.find(b'"cell_type"') >= 0:
        begins_list = data.startswith(b"[", start)
        return NOTEBOOK, start if begins_list else found.start()
    if data.count(b"\0", 0, 2**16) > 8:
        return "no text", start
    return SCRIPT, start


def sides_of_conflict(data: bytes) -> tuple[bytes, ...]:
    """Return the two versions that a merge of git left in one file, or () if there are none."""
    if not (data.startswith(b"<<<<<<<") or b"\n<<<<<<<" in data):
        return ()
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    state, position, conflicts = "", 0, 0
    for marker in islice(_CONFLICT.finditer(data), MAX_MARKERS):
        sign = marker[1][:1]
        if (sign == b"<") == (state != ""):
            continue  # a line of signs that belongs to the text
        for side, part in zip(("<", "="), parts, strict=True):
            if state in ("", side):
                part.append(data[position : marker.start()])
        position = marker.end()
        conflicts += sign == b">"
        state = "" if sign == b">" else sign.decode()
    if not conflicts:
        return ()
    for side, part in zip(("<", "="), parts, strict=True):
        if state in ("", side):
            part.append(data[position:])
    return b"".join(parts[0]), b"".join(parts[1])
