"""The class report: one HTML page and four CSV files on an assignment, for the instructor."""

from course_lib.grading.class_report.collect import collect
from course_lib.grading.class_report.rows import ClassReport
from course_lib.grading.class_report.write import write_report

__all__ = ["ClassReport", "collect", "write_report"]
