"""Which notebook a file is by its name, and how far its name is off."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.grading.submission.files import MAX_BYTES
from course_lib.grading.submission.folder_files import SubmittedFile

# What a notebook's name may end with, longest first, and how far off that is; from `SUBSTITUTE` on
# it is no notebook, but something that one can be read from if there is no better file.
SUBSTITUTE = 20
EMPTY = 50
_ENDINGS = ((".ipynb.txt", 1), (".ipynb.json", 1), (".ipynb.py", 2), (".ipynb", 0), (".json", 2))
_SUBSTITUTES = (
    (".py", SUBSTITUTE),
    *((ending, SUBSTITUTE + 1) for ending in (".txt", ".html", ".htm", ".md", ".zip", "")),
)


def plain_name(name: str) -> str:
    """Return a name without what file systems and people change: case, accents' form, blanks."""
    name = unicodedata.normalize("NFKC", name).casefold().replace("%20", " ")
    return re.sub(r"[\s_-]+", "_", name).strip("_")


def split_name(file: SubmittedFile) -> tuple[str, int] | None:
    """Return the name without its ending, and how bad a sign the ending is."""
    name = file.path.name.rstrip()
    for ending, penalty in (*_ENDINGS, *_SUBSTITUTES):
        if name.lower().endswith(ending):
            return name[: len(name) - len(ending)], penalty
    return None


def is_notebook(file: SubmittedFile) -> bool:
    """Whether it is a notebook by its ending, whatever its name, and not too big to be read."""
    split = split_name(file)
    return split is not None and split[1] <= 1 and not file.checkpoint and file.size <= MAX_BYTES


@dataclass(frozen=True)
class WantedName:
    """The name of a notebook, ready for comparisons: as it is, plain, and within a longer name."""

    name: str
    plain: str
    within: re.Pattern[str]

    @classmethod
    def of(cls, name: str) -> WantedName:
        """Return this name, ready."""
        made_plain = plain_name(name)
        around = rf"(?:.*[\W_])?{re.escape(made_plain)}(?:[\W_].*)?"
        return cls(name, made_plain, re.compile(around, re.DOTALL))


def claim(file: SubmittedFile, names: Sequence[WantedName]) -> tuple[str, int] | None:
    """Return which notebook the file is by its name, and how far the name is off."""
    split = split_name(file)
    if split is None or file.size > MAX_BYTES:
        return None
    stem, ending = split
    penalty = ending + 2 * (file.depth > 0) + 100 * file.checkpoint + EMPTY * (file.size == 0)
    for wanted in names:
        if stem == wanted.name:
            return wanted.name, penalty
    given = re.sub(r"_checkpoint$", "", plain_name(stem)) if file.checkpoint else plain_name(stem)
    for wanted in names:
        if given == wanted.plain:
            return wanted.name, penalty + 5
    for wanted in names:
        if ending <= SUBSTITUTE and wanted.within.fullmatch(given):
            return wanted.name, penalty + 10
    return None
