"""The judge: grade notebooks of people whom nobody has to trust. docs/judge.md explains it.

>>> from course_lib.grading import grade
>>> grade("source.ipynb", "submission.ipynb").score  # doctest: +SKIP
7.5
"""

from course_lib.grading.errors import JudgeError
from course_lib.grading.grade import close_workers, grade, grade_job
from course_lib.grading.job import Job
from course_lib.grading.result import CellScore, Mistake, Remark, Result
from course_lib.grading.settings import Limits, Settings
from course_lib.grading.template import Delimiters

__all__ = [
    "CellScore",
    "Delimiters",
    "Job",
    "JudgeError",
    "Limits",
    "Mistake",
    "Remark",
    "Result",
    "Settings",
    "close_workers",
    "grade",
    "grade_job",
]
