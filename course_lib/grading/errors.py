"""What stops grading altogether."""


class JudgeError(RuntimeError):
    """Grading cannot go on, whatever the submission: the text says why, and what to do."""
