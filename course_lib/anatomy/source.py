"""The explorer's JavaScript and style as one text each, put together from static/.

The files are plain ES modules. A widget and a page that works from a file can load only one, so
they are joined: imports between them are dropped, and what they import stands before.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_STATIC = Path(__file__).with_name("static")
_IMPORT = re.compile(r'^import\s[^;]*?from "\./(\w+\.js)";\n', re.MULTILINE)


@cache
def module(*entries: str) -> str:
    """One ES module with these files of static/ and all that they import."""
    texts: dict[str, str] = {}
    for entry in entries:
        _collect(entry, texts)
    return "\n".join(texts.values())


def _collect(name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    text = (_STATIC / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        _collect(imported, texts)
    own = _IMPORT.sub("", text)
    if re.search(r"^import\b", own, re.MULTILINE):
        raise ValueError(f'static/{name}: an import that is not of the form from "./file.js"')
    texts[name] = f"// {name}\n{own}"


@cache
def style(*names: str) -> str:
    """The style sheets of static/ of these names, joined."""
    return "\n".join((_STATIC / name).read_text(encoding="utf-8") for name in names)
