"""The command line of the feedback."""

from __future__ import annotations

import argparse
import sys

from course_lib.grading.marks.course import open_course
from course_lib.grading.run.course import CourseError
from course_lib.grading.run.whole_number import whole_number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `feedback` to a parser."""
    parser.description = "Write one feedback page for each student and notebook of an assignment."
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="such as lesson-14")
    parser.add_argument(
        "--student", nargs="+", action="extend", default=[], metavar="ID",
        help="write pages for these students only",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="write pages that are up to date, too")
    parser.add_argument(
        "--jobs", type=whole_number(0), default=0, metavar="N",
        help="how many processes (default: the number of cores)",
    )  # fmt: skip
    parser.add_argument(
        "--course", default=".", metavar="DIR",
        help="the course's folder, with nbgrader_config.py (default: this one)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Write the pages; 0: all written, 1: some could not be, 2: nothing to work on."""
    from course_lib.grading.feedback.write import write_feedback

    try:
        course = open_course(args.course)
        done = write_feedback(course, args.assignment, args.student, args.force, args.jobs)
    except CourseError as error:
        print(f"feedback: {error}", file=sys.stderr)
        return 2
    for place, reason in done.failed:
        print(f"feedback: {place}: {reason}", file=sys.stderr)
    print(
        f"feedback: {done.pages} pages written, {done.unchanged} up to date"
        + (f", {done.removed} of withdrawn notebooks removed" if done.removed else "")
        + (f", {len(done.failed)} FAILED" if done.failed else "")
        + f"; in {course.folder(course.feedback, 'STUDENT', args.assignment)}"
    )
    return 1 if done.failed else 0
