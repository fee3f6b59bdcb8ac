"""The command line of the class report."""

from __future__ import annotations

import argparse
import sys

from course_lib.grading.marks.course import open_course
from course_lib.grading.run.course import CourseError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `report` to a parser."""
    parser.description = "Write the class report of an assignment: an HTML page and four CSV files."
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="such as lesson-14")
    parser.add_argument(
        "--out", metavar="DIR", help="where to write (default: dist/report/ASSIGNMENT)"
    )
    parser.add_argument(
        "--formgrader", default="", metavar="URL",
        help="link to the formgrader at this address, such as http://localhost:8888/formgrader",
    )  # fmt: skip
    parser.add_argument(
        "--course", default=".", metavar="DIR",
        help="the course's folder, with nbgrader_config.py (default: this one)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Write the report; 0: written, 2: there is nothing to report on."""
    from course_lib.grading.class_report.write import write_report

    try:
        course = open_course(args.course)
        page = write_report(course, args.assignment, args.out, args.formgrader)
    except (CourseError, ValueError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    print(f"report: {page}")
    return 0
