"""What a course knows of an assignment's submissions: grades, comments, and what the judge said.

Read only. The feedback and the class report are made from it.
"""

from __future__ import annotations

from course_lib.grading.marks.course import Course, open_course
from course_lib.grading.marks.gradebook import read_marks
from course_lib.grading.marks.records import (
    AssignmentMarks,
    Exercise,
    Mark,
    NotebookMarks,
    Person,
    Submission,
)
from course_lib.grading.run.course import CourseError

__all__ = [
    "AssignmentMarks",
    "Course",
    "CourseError",
    "Exercise",
    "Mark",
    "NotebookMarks",
    "Person",
    "Submission",
    "open_course",
    "read_marks",
]
