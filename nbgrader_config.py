"""nbgrader's settings for this course; docs/instructors.md explains each.

nbgrader reads this file from the folder it is started in, so every command works from here.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

root = Path(__file__).resolve().parent
c = get_config()  # noqa: F821 - nbgrader defines it

# Grading, feedback and collecting go through the judge (docs/judge.md). Without it nbgrader would
# run students' code with your rights: it goes on after an exception here, and stops at sys.exit.
try:
    from course_lib.grading.nbgrader_plugin import configure
except ImportError as error:
    sys.exit(f"The judge is missing ({error}): set the course up with `make release` first.")
configure(c)
course_lib = Path(find_spec("course_lib").origin).parent
c.Judge.instruments = [str(course_lib / "checks" / "observe.py")]
# What the tests import: when a line of it changes, the next run grades everything again.
c.Judge.depends_on = [
    str(course_lib / name)
    for name in (
        "assignment", "checks", "counting", "gpt.py", "gpt_parameters.py", "layers.py",
        "rustlab_random.py", "tied.py", "toy_gpt.py", "validation.py",
    )
]  # fmt: skip

c.CourseDirectory.course_id = "gpt-architecture"
c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
# Two processes may write to the gradebook at once: the second waits instead of failing.
c.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}?timeout=30"

# What stands in a student's notebook for an answer. Nothing raises: an untouched notebook runs
# through, its functions (each has a docstring) give None, and every check says what is to be done.
c.ClearSolutions.code_stub = {"python": "# your answer here"}
c.ClearSolutions.text_stub = "*Your answer here.*"
