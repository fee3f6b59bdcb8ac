"""The run: all submissions of an assignment, in parallel, into nbgrader's gradebook."""

from course_lib.grading.run.batch import autograde
from course_lib.grading.run.course import Course, CourseError, course_of, open_course
from course_lib.grading.run.gradebook import GradebookWriter
from course_lib.grading.run.plan import Plan, make_plan
from course_lib.grading.run.pool import PoolError, in_window, open_pool
from course_lib.grading.run.summary import Choice, Summary

__all__ = [
    "Choice",
    "Course",
    "CourseError",
    "GradebookWriter",
    "Plan",
    "PoolError",
    "Summary",
    "autograde",
    "course_of",
    "in_window",
    "make_plan",
    "open_course",
    "open_pool",
]
