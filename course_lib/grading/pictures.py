"""Pictures as they may stand in a page: PNG files of a size that a browser can show."""

from __future__ import annotations

import struct

PNG = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 2**25  # of one picture: more take a browser hundreds of megabytes


def is_small_png(beginning: bytes) -> bool:
    """Say whether bytes, 24 or more of a file, begin as a PNG picture that is not too large."""
    if not beginning.startswith(PNG) or len(beginning) < 24:
        return False
    width, height = struct.unpack_from(">2I", beginning, 16)
    return bool(0 < width * height <= MOST_PIXELS)
