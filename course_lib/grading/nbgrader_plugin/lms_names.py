"""File names in the archives that Canvas and Moodle make of all submissions.

Canvas: `NAME_[LATE_]USERID_FILEID_NOTEBOOK.ipynb`, NAME being the sorted name in small letters
without blanks; a file handed in again is called `NOTEBOOK-1.ipynb`; with anonymous grading it is
`[LATE_]anon_ID_FILEID_NOTEBOOK.ipynb`. (Canvas: lib/content_zipper.rb.)

Moodle: a folder `NAME_ID_assignsubmission_file` for each student (older versions end it with an
underscore) or, without folders, `NAME_ID_assignsubmission_file_NOTEBOOK.ipynb`; NAME is
"Participant" where grading is blind. (Moodle: mod/assign/classes/downloader.php.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from course_lib.grading.printable import MARKUP

# Both LMSs keep such numbers out of people's names, but not out of file names, which students
# choose: the first match from the left is the LMS's.
CANVAS = re.compile(
    r"(?:(?P<name>.*?)_)?(?P<late>LATE_)?(?P<student>(?<![^_])\d+|anon_[^\W_]+)_(?P<version>\d+)"
    r"_(?P<file>[^_].*)"
)
MOODLE = re.compile(r"(?P<name>.*?)_(?P<student>\d+)_assignsubmission_file(?:_(?P<file>.+)?)?")
NOBODY = "Participant"  # Moodle's name for all where grading is blind
LONGEST = 128  # characters of a name in the gradebook


@dataclass(frozen=True)
class Parsed:
    """What a path says: the LMS's id of the student, the notebook's file, and which is newer.

    name: the student's, in the LMS's own part of the path; late: whether Canvas says so.
    """

    student: str
    file: str
    version: int = 0
    name: str = ""
    late: bool = False


def parse(path: str) -> Parsed | None:
    """Read the path of an extracted file; None if neither LMS makes such a name.

    A notebook may also lie in a folder of such a name: Moodle's, or an archive that the student
    handed in. The outermost such name counts: what is inside is named by the student.
    """
    *folders, name = Path(path).parts
    for folder in folders:
        for pattern in (MOODLE, CANVAS):
            found = pattern.fullmatch(folder)
            if found:
                return _parsed(found, name)
    for pattern in (MOODLE, CANVAS):
        found = pattern.fullmatch(name)
        if found and found["file"]:
            return _parsed(found, found["file"])
    return None


def _parsed(found: re.Match[str], file: str) -> Parsed:
    groups = found.groupdict()
    name, late = groups["name"] or "", bool(groups.get("late"))
    if "version" in groups and name == "LATE":  # of one without a name
        name, late = "", True
    return Parsed(found["student"], file, int(groups.get("version") or 0), name, late)


def names_of_people(parsed: Iterable[Parsed]) -> dict[str, tuple[str, str]]:
    """Return first and last name by the LMS's id; none where the LMS hides them.

    Canvas joins all parts of a name, the last name first: that stands as the last name.
    """
    names: dict[str, str] = {}
    for one in parsed:
        name = "".join(c for c in MARKUP.sub("", one.name) if c.isprintable()).strip()[:LONGEST]
        if name and name != NOBODY:
            names.setdefault(one.student, name)
    if len(names) > 2 and len(set(names.values())) == 1:
        return {}  # "Participant" in another language
    split = {student: name.rpartition(" ") for student, name in names.items()}
    return {student: (first.strip(), last) for student, (first, _, last) in split.items()}
