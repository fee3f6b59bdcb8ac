"""What the judge's sentence for lost points says in a few words."""

from __future__ import annotations

import re

from course_lib.grading.result import FAILED, LIMIT, PARTIAL, CellScore

# As the judge begins its sentence about an exception that came out of the student's code.
RAISED = re.compile(r"Your code raised ([A-Za-z_]\w{0,60})\b")
LONGEST = 120


def raised(judged: CellScore) -> str:
    """Return the type of the exception that an answer raised, such as "SyntaxError", or ""."""
    found = RAISED.match(judged.reason)
    return found[1] if found and found[1] != "an" else ""


def in_few_words(judged: CellScore) -> str:
    """Return what went wrong where no mistake was named; "" where something else says it."""
    if judged.mistakes or judged.status not in (FAILED, PARTIAL, LIMIT):
        return ""
    if kind := raised(judged):
        return f"{kind} in your answer"
    first = judged.reason.partition("\n")[0]
    if judged.status == LIMIT or len(first) > LONGEST:
        return ""  # the word for the state says it, or it is no matter of a few words
    return first
