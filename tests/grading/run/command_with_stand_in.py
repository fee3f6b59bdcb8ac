"""The command line, graded by the stand-in: python command_with_stand_in.py autograde …."""

from __future__ import annotations

import sys
from importlib import import_module

from stand_in_judge import judge

from course_lib.grading.__main__ import main

if __name__ == "__main__":
    import_module("course_lib.grading.grade").grade_job = judge  # type: ignore[attr-defined]
    sys.exit(main())
