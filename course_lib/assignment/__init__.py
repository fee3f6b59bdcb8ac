"""What the test cells of the exercise notebooks call.

`score_function` checks a function, `score_answers` checks answers that are numbers, names or lists.
Both show a report, and nbgrader reads the points from the same output. `hidden_inputs.py` is for
grading; it is not given to students.
"""

from course_lib.assignment.scored import Scored, score_answers, score_function

__all__ = ["Scored", "score_answers", "score_function"]
