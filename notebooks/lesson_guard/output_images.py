"""The PNG images of a cell's outputs: those shown as such, and those embedded in HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

IN_HTML = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=]+")


def images(outputs: Any) -> list[str]:
    """Give all images in their order, in base64."""
    found: list[str] = []
    for data in _bundles(outputs):
        if "image/png" in data:
            found.append(data["image/png"].replace("\n", ""))
        found.extend(IN_HTML.findall(data.get("text/html", "")))
    return found


def put_images(outputs: Any, new: list[str]) -> None:
    """Put as many other images in the places of all images."""
    waiting = iter(new)
    for data in _bundles(outputs):
        if "image/png" in data:
            data["image/png"] = next(waiting)
        if "text/html" in data:
            data["text/html"] = IN_HTML.sub(lambda _: next(waiting), data["text/html"])


def _bundles(outputs: Any) -> Iterator[dict[str, str]]:
    yield from (output["data"] for output in outputs if "data" in output)
