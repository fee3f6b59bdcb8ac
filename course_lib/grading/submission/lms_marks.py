"""What the LMS says of a submission, in a file that collecting puts beside it."""

from __future__ import annotations

import json
from pathlib import Path

from course_lib.grading.result import Remark
from course_lib.grading.submission.files import read_bytes
from course_lib.grading.submission.remarks import plain

FILE_NAME = "lms_marks.json"
FOLDER = "lms_marks"  # where such files wait to be collected, by the LMS's id


def read_marks(folder: Path) -> tuple[Remark, ...]:
    """Return what the LMS marked, as remarks; none if there is no such file, or it is odd."""
    try:
        late = json.loads(read_bytes(folder / FILE_NAME, limit=100_000))["late"]
        names = [plain(str(name)) for name in late]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return ()
    if not names:
        return ()
    shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
    return (Remark("late", f"Canvas marks it as late: {shown}."),)
