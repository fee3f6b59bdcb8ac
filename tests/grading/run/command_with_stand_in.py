"""The command line, graded by the stand-in: python command_with_stand_in.py autograde …."""

from __future__ import annotations

import sys

from stand_in_judge import judge

from course_lib.grading import grade
from course_lib.grading.__main__ import main

if __name__ == "__main__":
    grade.grade_job = judge
    sys.exit(main())
