"""Grade notebooks: python -m course_lib.grading autograde ASSIGNMENT, or grade SOURCE SUBMISSION.

`autograde` grades all that students handed in, into nbgrader's gradebook; `feedback` and `report`
write what comes out of it. `grade` grades one notebook and prints what came of it; it needs no
course folder and no gradebook.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from course_lib.grading.result import Result
from course_lib.grading.settings import Settings
from course_lib.grading.template import Delimiters

LATER = (
    ("feedback", "feedback", "write a page for each student and notebook"),
    ("report", "class_report", "write the class report"),
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    from course_lib.grading.run import command

    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        prog="python -m course_lib.grading",
        description=__doc__.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command.add_arguments(
        commands.add_parser("autograde", help="grade all that students handed in")
    )
    for name, room, what in LATER:
        module = import_module(f"course_lib.grading.{room}.command")
        module.add_arguments(commands.add_parser(name, help=what))
    one = commands.add_parser(
        "grade", help="grade one notebook",
        epilog="Exit status: 0 full marks or points to be given by hand, 1 not, 2 unusable input.",
    )  # fmt: skip
    one.add_argument("source", metavar="SOURCE.ipynb", type=Path, help="the instructor's notebook")
    one.add_argument("submission", metavar="SUBMISSION.ipynb", type=Path, help="the student's")
    one.add_argument("--json", action="store_true", help="print the result as JSON")
    one.add_argument("--seed", type=int, default=0, help="for the random generators (default: 0)")
    one.add_argument(
        "--course",
        metavar="DIR",
        help="take packages, limits and stubs from its nbgrader_config.py",
    )
    one.add_argument("--unsafe", action="store_true", help="without a wall where none can be had")
    given = parser.parse_args(arguments)
    for name, room, _ in LATER:
        if given.command == name:
            return int(import_module(f"course_lib.grading.{room}.command").run(given))
    return command.run(given) if given.command == "autograde" else _grade(given)


def _settings(course: str | None) -> tuple[Settings, Delimiters]:
    if course is None:
        return Settings(), Delimiters()
    from course_lib.grading.run.course import open_course

    opened = open_course(course)
    return opened.judge.settings(), opened.delimiters


def _grade(given: argparse.Namespace) -> int:
    from course_lib.grading.errors import JudgeError
    from course_lib.grading.grade import close_workers, grade
    from course_lib.grading.run.course import CourseError

    try:
        settings, delimiters = _settings(given.course)
        settings = replace(settings, unsafe=given.unsafe or settings.unsafe)
        result = grade(given.source, given.submission, settings, given.seed, delimiters)
    except (OSError, ValueError, CourseError, JudgeError) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        close_workers()
    if given.json:
        print(json.dumps(result.to_plain() | {"score": result.score}, ensure_ascii=False))
    else:
        print(_text(result))
    return 0 if all(c.score is None or c.score >= c.max_score for c in result.cells) else 1


def _text(result: Result) -> str:
    lines = []
    for cell in result.cells:
        points = "by hand" if cell.score is None else f"{cell.score:g}"
        why = cell.reason or "; ".join(mistake.title for mistake in cell.mistakes)
        lines.append(
            f"{cell.grade_id}: {points} of {cell.max_score:g}" + (f": {why}" if why else "")
        )
    lines += [remark.text for remark in result.remarks]
    lines.append(f"{result.score:g} of {result.max_score:g} points; wall: {result.wall or 'none'}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
