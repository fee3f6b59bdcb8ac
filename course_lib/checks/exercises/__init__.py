"""All exercises by name; each lives in a folder or file of its own here."""

from course_lib.checks.exercise import Exercise
from course_lib.checks.exercises import gpt_logits

EXERCISES: dict[str, Exercise] = {e.name: e for e in (gpt_logits.EXERCISE,)}
