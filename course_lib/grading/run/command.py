"""The command `autograde`: what may be asked for, and what its exit status says."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from course_lib.grading.run.batch import autograde
from course_lib.grading.run.course import CourseError, open_course
from course_lib.grading.run.pool import PoolError
from course_lib.grading.run.report import closing_table
from course_lib.grading.run.summary import Choice, Summary
from course_lib.grading.run.whole_number import whole_number

ALL_GRADED, SOME_FAILED, CANNOT_START, INTERRUPTED = 0, 1, 2, 130
EXIT_STATUS = (
    "Exit status: 0 all is graded, what a person should look at is listed; 1 some notebooks could "
    "not be graded, and the next run tries them again; 2 grading could not start or had to stop, "
    "the reason is printed; 130 stopped by Ctrl-C, what was done is kept."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `autograde` takes."""
    parser.epilog = EXIT_STATUS
    parser.add_argument("assignment", metavar="ASSIGNMENT", help="such as lesson-14")
    parser.add_argument(
        "--student", nargs="+", action="extend", default=[], metavar="ID",
        help="grade these students only",
    )  # fmt: skip
    parser.add_argument(
        "--notebook", default="*", metavar="NAME", help="grade this notebook only (* and ? work)"
    )
    parser.add_argument(
        "--jobs", type=whole_number(1), default=0, metavar="N",
        help="how many notebooks at a time (default: c.Judge.jobs, or the number of cores)",
    )  # fmt: skip
    parser.add_argument(
        "--scheduler", default="", metavar="URL",
        help="grade on the workers of this Dask scheduler, such as tcp://host:8786",
    )  # fmt: skip
    parser.add_argument(
        "--force", action="store_true", help="grade what has not changed since, too"
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="grade without a wall where none can be had"
    )
    parser.add_argument(
        "--course", default=".", metavar="DIR",
        help="the course's folder, with nbgrader_config.py (default: this one)",
    )  # fmt: skip


def run(given: argparse.Namespace) -> int:
    """Grade, print what came of it, and return the exit status."""
    choice = Choice(
        students=tuple(given.student),
        notebook=given.notebook,
        jobs=given.jobs,
        scheduler=given.scheduler,
        force=given.force,
        unsafe=given.unsafe,
    )
    try:
        summary = autograde(open_course(given.course), given.assignment, choice)
    except (CourseError, PoolError) as error:
        print(f"{error}", file=sys.stderr)
        return CANNOT_START
    except KeyboardInterrupt:
        # Threads may still wait for their judges; what is recorded is recorded.
        print("Stopped. Run the same command again to go on.", file=sys.stderr, flush=True)
        _end_judges()
        os._exit(INTERRUPTED)
    print(closing_table(summary))
    if summary.interrupted:
        print("Stopped. Run the same command again to go on.", flush=True)
    _end_judges()
    return status(summary)


def status(summary: Summary) -> int:
    """Return the exit status of a finished run."""
    if summary.interrupted:
        return INTERRUPTED
    return SOME_FAILED if summary.counts.failed else ALL_GRADED


def _end_judges() -> None:
    from course_lib.grading.grade import close_workers

    with contextlib.suppress(Exception):  # it may meet them in the middle of something
        close_workers()
