"""What lies in the folder where archives were unpacked, seen as a whole."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_lib.grading.nbgrader_plugin.lms_names import Parsed, names_of_people, parse
from course_lib.grading.run.plain_files import walk
from course_lib.grading.submission import timestamp
from course_lib.grading.submission.files import read_bytes
from course_lib.grading.submission.lms_marks import FILE_NAME, FOLDER

AGAIN = re.compile(r"-\d+$| ?\(\d+\)$")  # what Canvas and browsers add to a name that was there
SHOWN = 10
# What nbgrader says of each file or folder, by the hundred; `Found.tell` says it in a line.
CHATTER = re.compile(
    r"Directory not found\. Creating: |Clearing existing files in |Parsing file: |Copying from: |"
    r"  Copying to: |Skipped submission with no match |Invalid submission notebook name |"
    r"Creating timestamp: |\d+ files collected, \d+ files skipped"
)


@dataclass(frozen=True)
class Notebook:
    """One notebook file: the LMS's id of who handed it in, and which notebook it is."""

    student: str
    notebook: str


@dataclass
class Found:
    """What there is.

    by_path: the notebooks; own_times: by the LMS's id, the newest timestamp.txt that a student put
    into what was handed in; newest: the path to take for (student, notebook); names: first and
    last name by the LMS's id; without: files of those who handed in no notebook; nobodys: files
    whose names say nothing; others: how many files there are beside notebooks.
    """

    by_path: dict[str, Notebook] = field(default_factory=dict)
    newest: dict[tuple[str, str], str] = field(default_factory=dict)
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    own_times: dict[str, str] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)
    nobodys: list[str] = field(default_factory=list)
    others: int = 0

    @property
    def students(self) -> set[str]:
        """Who handed in a notebook."""
        return {student for student, _ in self.newest}

    def tell(self, log: Any) -> None:
        """Say in a few lines what is collected and what is not."""
        log.info("%d notebooks of %d students", len(self.newest), len(self.students))
        if self.others:
            log.info("Left out, they are no notebooks: %d files", self.others)
        alone = [f"{student} ({file})" for student, file in sorted(self.without.items())]
        for text, entries in (
            ("No notebook from: %s", alone),
            ("Left out, neither Canvas nor Moodle names files so: %s", sorted(self.nobodys)),
        ):
            more = f" and {len(entries) - SHOWN} more" if len(entries) > SHOWN else ""
            if entries:
                log.warning(text, ", ".join(entries[:SHOWN]) + more)


@dataclass(frozen=True)
class Extracted:
    """A folder of extracted files; released: the names of the notebooks handed out."""

    root: str
    released: set[str]
    valid: tuple[str, ...] = (".ipynb",)

    def look(self) -> Found:
        """Read all names."""
        found = Found()
        ranks: dict[tuple[str, str], tuple[int, int, str]] = {}
        parsed: list[tuple[str, Parsed]] = []
        rest: list[tuple[str, Parsed]] = []
        for path, relative in _files(self.root):
            one = parse(relative)
            if one is None:
                if Path(path).suffix in self.valid:
                    found.nobodys.append(relative)
                continue
            parsed.append((path, one))
            if Path(path).suffix not in self.valid:
                rest.append((path, one))
                continue
            key = one.student, self._notebook(one.file)
            rank = one.version, -path.count(os.sep), path
            found.by_path[path] = Notebook(*key)
            ranks[key] = max(ranks.get(key, rank), rank)
        found.newest = {key: path for key, (_, _, path) in ranks.items()}
        found.names = names_of_people(one for _, one in parsed)
        found.own_times = own_times(parsed)
        for path, one in rest:
            if one.student not in found.students:
                found.without.setdefault(one.student, one.file)
            elif Path(path).suffix not in (".zip", ".gz"):
                found.others += 1
        return found

    def _notebook(self, file: str) -> str:
        """Return the released notebook's file name that this one stands for, if there is one."""
        bare = AGAIN.sub("", Path(file).stem) + Path(file).suffix
        known = file in self.released or bare not in self.released
        return file if known else bare


def write_marks(root: str) -> None:
    """Write down, for the collector to take along, what Canvas marks as late, and own times."""
    parsed = [(path, one) for path, relative in _files(root) if (one := parse(relative))]
    marks: dict[str, dict[str, Any]] = {}
    for _, one in parsed:
        if one.late:
            marks.setdefault(one.student, {}).setdefault("late", []).append(one.file)
    for student, path in own_times(parsed).items():
        marks.setdefault(student, {})["own_time"] = _beginning(path)
    for student, found in marks.items():
        folder = Path(root) / FOLDER / student
        folder.mkdir(parents=True, exist_ok=True)
        if "late" in found:
            found["late"].sort()
        (folder / FILE_NAME).write_text(json.dumps(found))


def own_times(parsed: Iterable[tuple[str, Parsed]]) -> dict[str, str]:
    """Return the newest timestamp.txt in what each student handed in, by the LMS's id."""
    ranks: dict[str, tuple[int, int, str]] = {}
    for path, one in parsed:
        if AGAIN.sub("", Path(one.file).stem) + Path(one.file).suffix == timestamp.FILE_NAME:
            rank = one.version, -path.count(os.sep), path
            ranks[one.student] = max(ranks.get(one.student, rank), rank)
    return {student: path for student, (_, _, path) in ranks.items()}


def _beginning(path: str) -> str:
    try:
        return read_bytes(Path(path)).decode(errors="replace").strip()[:80]
    except (OSError, ValueError):
        return ""


def add_names(
    db_url: str, course_id: str, names: Mapping[str, tuple[str, str]], *, create: bool
) -> None:
    """Give students who have no name in the gradebook theirs; create: add who is not there."""
    if not names:
        return
    from nbgrader.api import Gradebook, Student

    with Gradebook(db_url, course_id) as gradebook:
        there = {student.id: student for student in gradebook.students}
        for number, (first, last) in names.items():
            student = there.get(number)
            if student is None and create:
                gradebook.db.add(Student(id=number, first_name=first, last_name=last))
            elif student is not None and not (student.first_name or student.last_name):
                student.first_name, student.last_name = first, last
        gradebook.db.commit()


def be_quiet(log: Any) -> None:
    """Keep off the log what nbgrader says of each single file."""
    log.addFilter(_no_chatter)


def _no_chatter(record: logging.LogRecord) -> bool:
    return not CHATTER.match(record.getMessage())


def _files(root: str) -> Iterator[tuple[str, str]]:
    for place, _, files in walk(root):
        for name in files:
            path = f"{place}{os.sep}{name}"
            relative = os.path.relpath(path, root)
            if Path(relative).parts[0] != FOLDER:
                yield path, relative
