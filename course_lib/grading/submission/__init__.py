"""Reading a submission: the student's texts, out of whatever file was handed in.

`find_notebooks` finds the files in a student's folder, `read_bytes` reads one, `read_submission`
takes the answers out of it, and `read_timestamp` says when it was handed in. None of them trusts
what it reads, and none raises for it.
"""

from course_lib.grading.submission.answers import Answer, ExtraCell, Submission
from course_lib.grading.submission.files import MAX_BYTES, read_bytes
from course_lib.grading.submission.folder import FoundNotebook, FoundNotebooks, find_notebooks
from course_lib.grading.submission.reading import read_submission
from course_lib.grading.submission.timestamp import read_timestamp

__all__ = [
    "MAX_BYTES",
    "Answer",
    "ExtraCell",
    "FoundNotebook",
    "FoundNotebooks",
    "Submission",
    "find_notebooks",
    "read_bytes",
    "read_submission",
    "read_timestamp",
]
