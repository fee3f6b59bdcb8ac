"""What collecting found out about a submission, in a file that it puts beside it.

That is what the LMS marks, and whether a timestamp.txt was in what the student handed in: the
exchange of nbgrader writes such a file, an LMS does not, so this one is the student's.
"""

from __future__ import annotations

import json
from pathlib import Path

from course_lib.grading.result import Remark
from course_lib.grading.submission.files import read_bytes
from course_lib.grading.submission.remarks import plain

FILE_NAME = "lms_marks.json"
OWN_TIME = (
    'A timestamp.txt was in what was handed in, put there by the student: "{}". It counts only '
    "where no other time is known."
)
FOLDER = "lms_marks"  # where such files wait to be collected, by the LMS's id


def read_marks(folder: Path) -> tuple[Remark, ...]:
    """Return what was marked, as remarks; none if there is no such file, or it is odd."""
    try:
        marks = json.loads(read_bytes(folder / FILE_NAME, limit=100_000))
        names = [plain(str(name)) for name in marks.get("late", ())]
        own_time = marks.get("own_time")
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return ()
    remarks = []
    if names:
        shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        remarks.append(Remark("late", f"Canvas marks it as late: {shown}."))
    if isinstance(own_time, str):
        remarks.append(Remark("own_timestamp", OWN_TIME.format(plain(own_time)), needs_look=True))
    return tuple(remarks)
