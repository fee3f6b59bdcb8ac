"""Which file of a student's folder is which notebook."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from course_lib.grading.result import Remark
from course_lib.grading.submission.file_names import (
    EMPTY,
    SUBSTITUTE,
    WantedName,
    claim,
    is_notebook,
    plain_name,
    split_name,
)
from course_lib.grading.submission.files import MAX_BYTES, read_bytes
from course_lib.grading.submission.folder_files import SubmittedFile, files_below
from course_lib.grading.submission.grade_ids import by_content
from course_lib.grading.submission.reading import read_submission
from course_lib.grading.template import Template

MAX_CANDIDATES = 8  # files for one notebook that are opened to compare them
MAX_UNNAMED = 30  # files whose names say nothing that are opened to recognise them
MAX_OPENED = 64 * 2**20  # bytes of files that are opened at a time, for either

_OTHER_ENDINGS = (".zip", ".pdf", ".html", ".htm", ".docx", ".rar", ".7z", ".tar.gz", ".dbc")


class TooMuch(Exception):
    """Files that take too much time or memory to be read."""


@dataclass(frozen=True)
class FoundNotebook:
    """The file for one notebook of the assignment, None if there is none."""

    path: Path | None
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class FoundNotebooks:
    """notebooks: by name; ignored: the other files, as paths from the folder, in plain letters.

    remarks: on the folder as a whole.
    """

    notebooks: Mapping[str, FoundNotebook]
    ignored: tuple[str, ...]
    remarks: tuple[Remark, ...] = ()


def _here(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def find_notebooks(
    folder: Path,
    names: Sequence[str],
    templates: Mapping[str, Template] | None = None,
    apart: Callable[..., Any] = _here,
) -> FoundNotebooks:
    """Find the file for each notebook in one student's folder, even if it is misnamed.

    names: of the notebooks, without ".ipynb". templates: with the template of a name, the one
    with most answers wins where several files could be it; otherwise the rightly named one, then
    the newest; and a file whose name says nothing is recognised by its grade ids. Symbolic links,
    devices and pipes are left alone, and nothing outside the folder is touched. apart: calls a
    function that opens files, perhaps elsewhere; it may raise `TooMuch`, and then their names
    and times decide.
    """
    files, refused = files_below(folder)
    claims: dict[str, list[tuple[int, SubmittedFile]]] = {name: [] for name in names}
    loose: list[SubmittedFile] = []
    wanted = [WantedName.of(name) for name in sorted(names, key=len, reverse=True)]
    for file in files:
        claimed = claim(file, wanted)
        if claimed is None:
            loose.append(file)
        else:
            claims[claimed[0]].append((claimed[1], file))
    found: dict[str, FoundNotebook] = {}
    taken: set[Path] = set()
    for name in names:
        best, remarks = _best(name, claims[name], (templates or {}).get(name), apart)
        found[name] = FoundNotebook(best.path if best else None, remarks)
        taken |= {best.path} if best else set()
    unnamed = [file for file in loose if is_notebook(file)]
    _take_by_content(found, unnamed, templates or {}, taken, apart)
    _take_last(found, [file for file in unnamed if file.path not in taken], taken)
    left = [file for file in loose if file.path not in taken]
    for name in names:
        if found[name].path is None:
            found[name] = FoundNotebook(None, (_missing(name, left, refused),))
    ignored = [file.shown for file in files if file.path not in taken] + refused
    return FoundNotebooks(found, tuple(sorted(ignored)[:200]), _on_the_whole(found, left))


# ---------------------------------------------------------------- choosing


def _best(
    name: str,
    claims: Sequence[tuple[int, SubmittedFile]],
    template: Template | None,
    apart: Callable[..., Any],
    by: str = "",
) -> tuple[SubmittedFile | None, tuple[Remark, ...]]:
    ranked = sorted(claims, key=lambda claim: (claim[0], -claim[1].modified, claim[1].shown))
    if not ranked:
        return None, ()
    rivals = (
        [file for penalty, file in ranked if penalty < SUBSTITUTE]
        or [file for penalty, file in ranked if penalty < EMPTY]
        or [ranked[0][1]]
    )
    best, remarks = rivals[0], []
    if len(rivals) > 1:
        best, same = _compare(rivals[:MAX_CANDIDATES], ranked, template, apart)
        if not same:
            others = ", ".join(file.shown for file in rivals[:6] if file is not best)
            text = f"Several files could be {name}: {best.shown} was taken, not {others}."
            remarks.append(Remark("several_files", text, needs_look=True))
    if best.checkpoint:
        text = f"Only a checkpoint of {name} was found: {best.shown}."
        remarks.append(Remark("checkpoint", text, needs_look=True))
    elif best.shown != f"{name}.ipynb":
        remarks.append(Remark("misnamed_file", f"{best.shown} was taken for {name}.ipynb{by}."))
    return best, tuple(remarks)


def _compare(
    rivals: Sequence[SubmittedFile],
    ranked: Sequence[tuple[int, SubmittedFile]],
    template: Template | None,
    apart: Callable[..., Any],
) -> tuple[SubmittedFile, bool]:
    """Return the file to take, and whether all of them say the same."""
    penalties = {file.path: penalty for penalty, file in ranked}
    opened = _as_many_as_fit(rivals)
    same = len(opened) == len(rivals) and _all_the_same(opened)
    answers: Mapping[Path, int] = {}
    if not same and template is not None:
        with contextlib.suppress(TooMuch):
            answers = apart(count_answers, [file.path for file in opened], template)
    best = max(
        rivals,
        key=lambda file: (
            answers.get(file.path, -1),
            penalties[file.path] < 5,
            file.modified,
            -penalties[file.path],
        ),
    )
    return best, same


def _as_many_as_fit(files: Sequence[SubmittedFile]) -> list[SubmittedFile]:
    """Return the first files, as many as may be opened at a time."""
    sizes = accumulate(file.size for file in files)
    return [file for file, size in zip(files, sizes, strict=True) if size <= MAX_OPENED]


def _all_the_same(files: Sequence[SubmittedFile]) -> bool:
    """Say whether files hold the same bytes; what cannot be read is passed over."""
    if len({file.size for file in files}) > 1:
        return False
    found = set()
    for file in files:
        with contextlib.suppress(OSError, ValueError):
            found.add(hashlib.sha256(read_bytes(file.path)).digest())
    return len(found) == 1


def count_answers(paths: Sequence[Path], template: Template) -> dict[Path, int]:
    """Return how many answers were given in each file that can be read."""
    given: dict[Path, int] = {}
    for path in paths:
        with contextlib.suppress(OSError, ValueError):
            read = read_submission(read_bytes(path), template)
            given[path] = sum(answer.given for answer in read.answers.values())
    return given


def _take_by_content(
    found: dict[str, FoundNotebook],
    unnamed: Sequence[SubmittedFile],
    templates: Mapping[str, Template],
    taken: set[Path],
    apart: Callable[..., Any],
) -> None:
    """Take files that bear the grade ids of a notebook which no file's name is."""
    missing = [name for name, one in found.items() if one.path is None and name in templates]
    if not missing or not unnamed:
        return
    newest = sorted(unnamed, key=lambda file: (-file.modified, file.shown))[:MAX_UNNAMED]
    newest = _as_many_as_fit(newest)
    try:
        fitting = apart(by_content, [file.path for file in newest], templates)
    except TooMuch:
        return
    for name in missing:
        claims = [(0, file) for file in newest if fitting.get(file.path) == name]
        best, remarks = _best(name, claims, templates[name], apart, ", by the grade ids in it")
        if best is not None:
            found[name] = FoundNotebook(best.path, remarks)
            taken.add(best.path)


def _take_last(
    found: dict[str, FoundNotebook], loose: Sequence[SubmittedFile], taken: set[Path]
) -> None:
    """Take the one notebook that is left for the one name that is left."""
    missing = [name for name, one in found.items() if one.path is None]
    if len(missing) == 1 and len(loose) == 1:
        text = f"{loose[0].shown} was taken for {missing[0]}.ipynb: it is the only one left."
        remark = Remark("misnamed_file", text, needs_look=True)
        found[missing[0]] = FoundNotebook(loose[0].path, (remark,))
        taken.add(loose[0].path)


def _missing(name: str, loose: Sequence[SubmittedFile], refused: Sequence[str]) -> Remark:
    large = [file.shown for file in loose if file.size > MAX_BYTES and split_name(file)]
    if large:
        return Remark("file_too_big", f"No {name}.ipynb, but {large[0]} is too big to read.", True)
    links = [shown for shown in refused if plain_name(name) in plain_name(shown)]
    if links:
        text = f"No {name}.ipynb; {links[0]} is a link or a device, and was left alone."
        return Remark("refused_file", text, needs_look=True)
    other = _unread(loose)
    hint = f"; there is {other[0]}, which cannot be read" if other else ""
    return Remark("missing_file", f"There is no {name}.ipynb{hint}.")


def _on_the_whole(
    found: Mapping[str, FoundNotebook], left: Sequence[SubmittedFile]
) -> tuple[Remark, ...]:
    """Say once what a person must look at where notebooks are missing and other files are not."""
    missing = [name for name, one in found.items() if one.path is None]
    strays = [file.shown for file in left if is_notebook(file)] + _unread(left)
    there = ", ".join(strays[:6]) + (" …" if len(strays) > 6 else "")
    if missing and len(missing) == len(found):
        text = f"None of the {len(found)} notebooks was handed in"
        text = "The notebook was not handed in" if len(found) == 1 else text
        hint = f"; what is there could not be used: {there}" if there else ""
        return (Remark("nothing_handed_in", f"{text}{hint}.", needs_look=True),)
    if missing and strays:
        text = f"Not used, while {len(missing)} of {len(found)} notebooks are missing: {there}."
        return (Remark("unclaimed_file", text, needs_look=True),)
    return ()


def _unread(files: Sequence[SubmittedFile]) -> list[str]:
    return [file.shown for file in files if file.path.name.lower().endswith(_OTHER_ENDINGS)]
