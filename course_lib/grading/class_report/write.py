"""Write the report: dist/report/ASSIGNMENT/index.html and its CSV files."""

from __future__ import annotations

from pathlib import Path

from course_lib.grading.class_report.collect import collect
from course_lib.grading.class_report.page import render
from course_lib.grading.class_report.tables import all_tables
from course_lib.grading.marks.course import Course


def write_report(
    course: Course, assignment: str, folder: str | Path | None = None, formgrader: str = ""
) -> Path:
    """Write the class report of an assignment; return the path of the page.

    folder: where to (default: dist/report/ASSIGNMENT in the course); formgrader: the address to
    link to.

    Raises:
        CourseError: there is no gradebook yet, or it does not know the assignment.
        ValueError: the formgrader's address is none of a web page.
    """
    report = collect(course, assignment)
    target = Path(folder) if folder else course.root / "dist" / "report" / assignment
    target = target.resolve()
    page = render(course, report, target, formgrader)
    target.mkdir(parents=True, exist_ok=True)
    # The mark at the beginning tells spreadsheets that the text is UTF-8.
    for name, text in all_tables(report).items():
        _replace(target / name, text.encode("utf-8-sig", "replace"))
    _replace(target / "index.html", page.encode("utf-8", "replace"))
    return target / "index.html"


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(content)
    draft.replace(path)
