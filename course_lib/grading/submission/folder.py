"""Which file of a student's folder is which notebook."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from course_lib.grading.result import Remark
from course_lib.grading.submission.files import MAX_BYTES, read_bytes
from course_lib.grading.submission.reading import read_submission
from course_lib.grading.submission.remarks import plain
from course_lib.grading.template import Template

MAX_ENTRIES = 5_000  # files and folders that are looked at
MAX_DEPTH = 6  # folders within folders
MAX_CANDIDATES = 8  # files for one notebook that are opened to compare them

_CHECKPOINTS = ".ipynb_checkpoints"
_SKIPPED = frozenset({".git", "__pycache__", "node_modules", "__MACOSX", "site-packages", ".venv"})
# Longest first: what a notebook's name may end with, and how good a sign that is.
_ENDINGS = ((".ipynb.txt", 1), (".ipynb.json", 1), (".ipynb.py", 2), (".ipynb", 0), (".json", 2))
_SCRIPT_ENDINGS = ((".py", 3), (".txt", 4), ("", 4))
_OTHER_ENDINGS = (".zip", ".pdf", ".html", ".htm", ".docx", ".rar", ".7z", ".tar.gz", ".dbc")


@dataclass(frozen=True)
class FoundNotebook:
    """The file for one notebook of the assignment, None if there is none."""

    path: Path | None
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class FoundNotebooks:
    """notebooks: by name; ignored: the other files, as paths from the folder, in plain letters."""

    notebooks: Mapping[str, FoundNotebook]
    ignored: tuple[str, ...]


@dataclass(frozen=True)
class _File:
    path: Path
    shown: str  # the path from the student's folder
    depth: int
    size: int
    modified: float
    checkpoint: bool


def find_notebooks(
    folder: Path, names: Sequence[str], templates: Mapping[str, Template] | None = None
) -> FoundNotebooks:
    """Find the file for each notebook in one student's folder, even if it is misnamed.

    names: of the notebooks, without ".ipynb". templates: with the template of a name, the one
    with most answers wins where several files could be it; otherwise the rightly named one, then
    the newest. Symbolic links, devices and pipes are left alone, and nothing outside the folder
    is touched.
    """
    files, refused = _files(folder)
    claims: dict[str, list[tuple[int, _File]]] = {name: [] for name in names}
    loose: list[_File] = []
    wanted = [_Wanted.of(name) for name in sorted(names, key=len, reverse=True)]
    for file in files:
        claimed = _claim(file, wanted)
        if claimed is None:
            loose.append(file)
        else:
            claims[claimed[0]].append((claimed[1], file))
    found: dict[str, FoundNotebook] = {}
    taken: set[Path] = set()
    for name in names:
        best, remarks = _best(name, claims[name], (templates or {}).get(name))
        found[name] = FoundNotebook(best.path if best else None, remarks)
        taken |= {best.path} if best else set()
    _take_last(found, [file for file in loose if _is_notebook(file)], taken)
    for name in names:
        if found[name].path is None:
            found[name] = FoundNotebook(None, (_missing(name, loose, refused),))
    ignored = [file.shown for file in files if file.path not in taken] + refused
    return FoundNotebooks(found, tuple(sorted(ignored)[:200]))


# ---------------------------------------------------------------- walking


def _files(folder: Path) -> tuple[list[_File], list[str]]:
    """Return the ordinary files below, and the names of what is none."""
    files: list[_File] = []
    refused: list[str] = []
    left = MAX_ENTRIES
    waiting = [(folder, "", 0, False)]
    if folder.is_symlink():
        return [], [plain(folder.name)]
    while waiting:
        here, prefix, depth, checkpoint = waiting.pop(0)
        try:
            with os.scandir(here) as entries:
                listed = sorted(_first(entries, left), key=lambda entry: entry.name)
        except OSError:
            refused.append(plain(prefix or folder.name, 200))
            continue
        left -= len(listed)
        for entry in listed:
            shown = plain(prefix + entry.name, 200)
            try:
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    inside = checkpoint or entry.name == _CHECKPOINTS
                    if depth < MAX_DEPTH and entry.name not in _SKIPPED:
                        waiting.append(
                            (Path(entry.path), f"{prefix}{entry.name}/", depth + 1, inside)
                        )
                    continue
                if not entry.is_file(follow_symlinks=False):
                    refused.append(shown)
                    continue
            except OSError:
                refused.append(shown)
                continue
            size, modified = status.st_size, status.st_mtime
            files.append(_File(Path(entry.path), shown, depth, size, modified, checkpoint))
    return files, refused


def _first(entries: Iterator[os.DirEntry[str]], count: int) -> list[os.DirEntry[str]]:
    return list(islice(entries, count))


# ---------------------------------------------------------------- names


def _plain_name(name: str) -> str:
    """Return a name without what file systems and people change: case, accents' form, blanks."""
    name = unicodedata.normalize("NFKC", name).casefold().replace("%20", " ")
    return re.sub(r"[\s_-]+", "_", name).strip("_")


def _split(file: _File) -> tuple[str, int] | None:
    """Return the name without its ending, and how bad a sign the ending is."""
    name = file.path.name.rstrip()
    for ending, penalty in (*_ENDINGS, *_SCRIPT_ENDINGS):
        if name.lower().endswith(ending):
            return name[: len(name) - len(ending)], penalty
    return None


def _is_notebook(file: _File) -> bool:
    split = _split(file)
    return split is not None and split[1] <= 1 and not file.checkpoint and file.size <= MAX_BYTES


@dataclass(frozen=True)
class _Wanted:
    """The name of a notebook, ready for comparisons: as it is, plain, and within a longer name."""

    name: str
    plain: str
    within: re.Pattern[str]

    @classmethod
    def of(cls, name: str) -> _Wanted:
        made_plain = _plain_name(name)
        around = rf"(?:.*[\W_])?{re.escape(made_plain)}(?:[\W_].*)?"
        return cls(name, made_plain, re.compile(around, re.DOTALL))


def _claim(file: _File, names: Sequence[_Wanted]) -> tuple[str, int] | None:
    """Return which notebook the file is by its name, and how far the name is off."""
    split = _split(file)
    if split is None or file.size > MAX_BYTES:
        return None
    stem, penalty = split
    penalty += 2 * (file.depth > 0) + 100 * file.checkpoint + 50 * (file.size == 0)
    for wanted in names:
        if stem == wanted.name:
            return wanted.name, penalty
    given = re.sub(r"_checkpoint$", "", _plain_name(stem)) if file.checkpoint else _plain_name(stem)
    for wanted in names:
        if given == wanted.plain:
            return wanted.name, penalty + 5
    for wanted in names:
        if penalty % 50 < 4 and wanted.within.fullmatch(given):
            return wanted.name, penalty + 10
    return None


# ---------------------------------------------------------------- choosing


def _best(
    name: str, claims: Sequence[tuple[int, _File]], template: Template | None
) -> tuple[_File | None, tuple[Remark, ...]]:
    ranked = sorted(claims, key=lambda claim: (claim[0], -claim[1].modified, claim[1].shown))
    if not ranked:
        return None, ()
    rivals = [file for penalty, file in ranked if penalty < 50] or [ranked[0][1]]
    best, remarks = rivals[0], []
    if len(rivals) > 1:
        best, same = _compare(rivals[:MAX_CANDIDATES], ranked, template)
        if not same:
            others = ", ".join(file.shown for file in rivals[:6] if file is not best)
            text = f"Several files could be {name}: {best.shown} was taken, not {others}."
            remarks.append(Remark("several_files", text, needs_look=True))
    if best.checkpoint:
        text = f"Only a checkpoint of {name} was found: {best.shown}."
        remarks.append(Remark("checkpoint", text, needs_look=True))
    elif best.shown != f"{name}.ipynb":
        remarks.append(Remark("misnamed_file", f"{best.shown} was taken for {name}.ipynb."))
    return best, tuple(remarks)


def _compare(
    rivals: Sequence[_File], ranked: Sequence[tuple[int, _File]], template: Template | None
) -> tuple[_File, bool]:
    """Return the file to take, and whether all of them say the same."""
    penalties = {file.path: penalty for penalty, file in ranked}
    texts: dict[Path, int] = {}
    answers: dict[Path, int] = {}
    for file in rivals:
        try:
            data = read_bytes(file.path)
        except (OSError, ValueError):
            continue
        texts[file.path] = hash(data)
        if template is not None:
            read = read_submission(data, template)
            answers[file.path] = sum(answer.given for answer in read.answers.values())
    best = max(
        rivals,
        key=lambda file: (
            answers.get(file.path, -1),
            penalties[file.path] < 5,
            file.modified,
            -penalties[file.path],
        ),
    )
    return best, len(set(texts.values())) == 1


def _take_last(found: dict[str, FoundNotebook], loose: Sequence[_File], taken: set[Path]) -> None:
    """Take the one notebook that is left for the one name that is left."""
    missing = [name for name, one in found.items() if one.path is None]
    if len(missing) == 1 and len(loose) == 1:
        text = f"{loose[0].shown} was taken for {missing[0]}.ipynb: it is the only one left."
        remark = Remark("misnamed_file", text, needs_look=True)
        found[missing[0]] = FoundNotebook(loose[0].path, (remark,))
        taken.add(loose[0].path)


def _missing(name: str, loose: Sequence[_File], refused: Sequence[str]) -> Remark:
    large = [file.shown for file in loose if file.size > MAX_BYTES and _split(file)]
    if large:
        return Remark("file_too_big", f"No {name}.ipynb, but {large[0]} is too big to read.", True)
    links = [shown for shown in refused if _plain_name(name) in _plain_name(shown)]
    if links:
        text = f"No {name}.ipynb; {links[0]} is a link or a device, and was left alone."
        return Remark("refused_file", text, needs_look=True)
    other = [file.shown for file in loose if file.path.name.lower().endswith(_OTHER_ENDINGS)]
    hint = f"; there is {other[0]}, which cannot be read" if other else ""
    return Remark("missing_file", f"There is no {name}.ipynb{hint}.", needs_look=True)
