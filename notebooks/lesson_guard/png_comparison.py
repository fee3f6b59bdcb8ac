"""Two PNG images compared as pixels, exactly; their bytes may differ where a compressor differs."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

DEEP_MODES = ("I", "I;16", "I;16B", "F")  # more than 8 bits a channel: never squeezed into RGBA


class UnsoundPng(ValueError):
    """The bytes are no PNG, or a chunk's checksum is wrong."""


@dataclass(frozen=True)
class PngDifference:
    """How `got` differs from `expected`, in words and as three pictures."""

    message: str
    pictures: dict[str, bytes]

    def write(self, folder: Path, stem: str) -> None:
        """Write STEM-expected.png, STEM-got.png and, for equal sizes, STEM-difference.png."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, png in self.pictures.items():
            (folder / f"{stem}-{name}.png").write_bytes(png)


def compare_png(expected: bytes, got: bytes) -> PngDifference | None:
    """Say how two PNG images differ; None if no pixel does. Raises UnsoundPng for a broken one."""
    if expected == got:
        return None
    wanted, seen = _pixels(expected, "expected"), _pixels(got, "new")
    pictures = {"expected": expected, "got": got}
    if wanted.shape != seen.shape:
        sizes = " against ".join(f"{a.shape[1]} × {a.shape[0]}" for a in (wanted, seen))
        return PngDifference(f"the sizes differ: {sizes} pixels", pictures)
    differs = (wanted != seen).any(axis=-1)  # (height, width)
    if not differs.any():
        return None
    pictures["difference"] = _picture_of(differs)
    return PngDifference(f"{differs.sum()} of {differs.size} pixels differ", pictures)


def _pixels(png: bytes, which: str) -> NDArray[np.generic]:
    """Decode to (height, width, channels), after every chunk's checksum was verified."""
    try:
        with Image.open(BytesIO(png), formats=["PNG"]) as image:
            image.verify()
        with Image.open(BytesIO(png), formats=["PNG"]) as image:
            deep = image.mode in DEEP_MODES
            return np.atleast_3d(np.asarray(image if deep else image.convert("RGBA")))
    except (OSError, SyntaxError, ValueError) as error:
        raise UnsoundPng(f"the {which} image is not a sound PNG: {error}") from error


def _picture_of(differs: NDArray[np.bool_]) -> bytes:
    """Draw the differing pixels black on white."""
    out = BytesIO()
    Image.fromarray(np.where(differs, 0, 255).astype(np.uint8)).save(out, format="PNG")
    return out.getvalue()
