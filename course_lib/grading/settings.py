"""What a course may choose about its judge: limits, packages, and how calls are watched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """What one exercise (its answer cells and the calls of one test cell) may use.

    cpu_seconds, wall_seconds: computing time, and time by the clock.
    memory: bytes of address space on top of what Python and NumPy take themselves.
    output: bytes of text and pictures that one cell may show.
    result: bytes of one value that crosses the wall.
    judge_seconds: time by the clock for one whole notebook, the instructor's own cells included.
    student_seconds: the same for all notebooks of one student in one run.
    """

    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0
    memory: int = 1024 * MEBIBYTE
    output: int = 1 * MEBIBYTE
    result: int = 64 * MEBIBYTE
    judge_seconds: float = 300.0
    student_seconds: float = 600.0


@dataclass(frozen=True)
class Settings:
    """How a course's submissions are judged.

    packages: what answers may import besides the standard library (and what these packages need).
    instruments: Python files, standing on their own, whose functions may wrap a call on the far
        side of the wall; a test reaches them by `proxy.through`. They must hold no secret: a
        student's code can read them.
    carried: contents of instruments by their paths, for workers that do not have these files.
    environment: variables for the instructor's cells; answers see none of them.
    unsafe: judge without a wall where none can be had.
    """

    packages: tuple[str, ...] = ("numpy", "matplotlib")
    instruments: tuple[str, ...] = ()
    carried: tuple[tuple[str, str], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    unsafe: bool = False

    def instrument_texts(self) -> dict[str, str]:
        """Return the instruments' contents by module name.

        Raises:
            OSError: a file that is not carried cannot be read.
        """
        carried = dict(self.carried)
        return {
            Path(path).stem: (
                carried[path] if path in carried else Path(path).read_text(encoding="utf-8")
            )
            for path in self.instruments
        }
