"""nbgrader's settings for this course; docs/instructors.md explains each.

nbgrader reads this file from the folder it is started in, so every command works from here.
"""

from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import ClearHiddenTests, GetGrades

root = Path(__file__).resolve().parent
c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = "gpt-architecture"
c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
# Two processes may write to the gradebook at once: the second waits instead of failing.
c.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}?timeout=30"

# A kernel of these notebooks has nothing to put in order when it ends: 2.7 s a notebook, not 3.5.
c.Execute.shutdown_kernel = "immediate"

# What stands in a student's notebook for an answer. Nothing raises: an untouched notebook runs
# through, its functions (each has a docstring) give None, and every check says what is to be done.
c.ClearSolutions.code_stub = {"python": "# your answer here"}
c.ClearSolutions.text_stub = "*Your answer here.*"

# Feedback shows the tests as the student has them. By itself nbgrader prints the hidden lines too.
c.GenerateFeedback.preprocessors = [GetGrades, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
