"""Mangled submissions: each made by a small function from one good submission.

`MANGLINGS` change the bytes of a notebook, `FOLDER_MANGLINGS` a student's folder. Each states what
a reader must still recover, so that the same list can be read, or judged from end to end.
"""

from tests.grading.mangled import of_cells, of_exports, of_files, of_metadata
from tests.grading.mangled.assignment import (
    ANSWERS,
    NAME,
    good_bytes,
    good_notebook,
    instructor_notebook,
    released_notebook,
    template,
)
from tests.grading.mangled.folders import FOLDER_MANGLINGS, FolderMangling
from tests.grading.mangled.mangling import MANGLINGS, Mangling

__all__ = [
    "ANSWERS",
    "FOLDER_MANGLINGS",
    "MANGLINGS",
    "NAME",
    "FolderMangling",
    "Mangling",
    "good_bytes",
    "good_notebook",
    "instructor_notebook",
    "of_cells",
    "of_exports",
    "of_files",
    "of_metadata",
    "released_notebook",
    "template",
]
