"""The command line of the feedback."""

from __future__ import annotations

import argparse
import sys

from course_lib.grading.marks.course import CourseError, open_course


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `feedback` to a parser."""
    parser.description = "Write one feedback page for each student and notebook of an assignment."
    parser.add_argument("assignment", help="the assignment's folder, such as lesson-14")
    parser.add_argument(
        "--student", action="append", default=[], metavar="ID", help="only this student (repeat)"
    )
    parser.add_argument("--course", metavar="FOLDER", help="the course's folder; default: this one")
    parser.add_argument("--force", action="store_true", help="also write pages that are up to date")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes; 0: by cores")


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
