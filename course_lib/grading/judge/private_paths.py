"""Where things lie on the instructor's machine, kept out of what a student is shown.

A student's process knows some of it: from where it imports, and in which folder it runs. What
prints a path by chance, an exception or a warning, is shown with "…" in place of its private
beginning. Who spells a path in another way on purpose, or draws it, is not kept from showing it.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.grading.result import CellScore, Mistake

PROJECT = Path(__file__).resolve().parents[3]
# These begin the paths of any machine and tell nothing.
COMMON = frozenset(
    ("/", "/bin", "/home", "/lib", "/mnt", "/nonexistent", "/opt", "/srv", "/tmp", "/usr",
     "/usr/lib", "/usr/local", "/usr/local/lib", "/var", "/var/tmp")
)  # fmt: skip
INSTEAD = "…"


def private_paths(*more: Path) -> re.Pattern[str]:
    """Return what matches the private beginning of a path: home, project, environment, and more."""
    places = [Path.home(), PROJECT, Path(tempfile.gettempdir()), *more]
    places += [Path(name) for name in (sys.prefix, sys.base_prefix, sys.executable, *sys.path)]
    return _pattern(tuple(str(place) for place in places))


@cache
def _pattern(places: tuple[str, ...]) -> re.Pattern[str]:
    found = {str(path) for place in places for path in (Path(place), Path(place).resolve())}
    private = sorted((p for p in found - COMMON if p.startswith("/")), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, private))})(?![\w-])")


def without_paths(shown: Any, private: re.Pattern[str]) -> Any:
    """Return text, or lists and records of texts, without private beginnings of paths."""
    if isinstance(shown, str):
        return private.sub(INSTEAD, shown) if "/" in shown else shown
    if isinstance(shown, Mapping):
        kept = ("image/png", "output_type")
        return {k: v if k in kept else without_paths(v, private) for k, v in shown.items()}
    if isinstance(shown, list | tuple):
        return [without_paths(one, private) for one in shown]
    return shown


def score_without_paths(score: CellScore, private: re.Pattern[str]) -> CellScore:
    """Return the score of a cell with sentences that hold no private path."""

    def mistakes(told: Iterable[Mistake]) -> Iterable[Mistake]:
        for one in told:
            yield Mistake(*(without_paths(text, private) for text in vars(one).values()))

    reason = without_paths(score.reason, private)
    return replace(score, reason=reason, mistakes=tuple(mistakes(score.mistakes)))
