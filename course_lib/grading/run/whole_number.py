"""Whole numbers as arguments of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(low: int) -> Callable[[str], int]:
    """Return a type for argparse: whole numbers from `low` on, in ASCII digits."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text) >= low):
            raise argparse.ArgumentTypeError(f"must be a whole number from {low}, got {text!r}")
        return int(text)

    return number
