"""How one graded cell went, in words for the student."""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.grading.marks.reasons import in_few_words
from course_lib.grading.marks.records import Mark
from course_lib.grading.result import (
    LIMIT,
    MANUAL,
    MISSING,
    UNANSWERED,
    CellScore,
    Mistake,
)

WORDS = {
    "passed": "all right",
    "partial": "partly right",
    "failed": "not right yet",
    LIMIT: "stopped at a limit",
    UNANSWERED: "not answered",
    MISSING: "not found in your file",
    "waiting": "not graded yet",
}
SIGNS = {"passed": "✓", "partial": "◐", "waiting": "…"}
LIMITS = {
    "cpu time": "Your answer computed longer than is allowed and was stopped.",
    "wall time": "Your answer took longer than is allowed and was stopped.",
    "memory": "Your answer needed more memory than is allowed and was stopped.",
    "output": "Your answer printed more than is allowed and was stopped.",
    "result size": "Your answer returned a value larger than is allowed.",
    "crash": "Your answer brought Python itself down, so it was stopped.",
}


def points(value: float) -> str:
    """Write points without needless zeros: 2, 1.5, 0.33."""
    return f"{round(float(value), 2) + 0.0:g}"  # + 0.0 makes 0 of -0


@dataclass
class Verdict:
    """The points of one graded cell and the reason for them.

    state: "passed", "partial", "failed", "limit", "unanswered", "missing" or "waiting".
    told: whether the test's own report, which is shown, names the mistakes. short: the reason in a
    few words, where no mistake was named. replaced: the judge's points, where a person's count.
    """

    grade_id: str
    score: float
    max_score: float
    state: str
    reason: str = ""
    limit: str = ""
    mistakes: tuple[Mistake, ...] = ()
    by_person: bool = False
    extra_credit: float = 0.0
    told: bool = False
    short: str = ""
    replaced: float | None = None

    @property
    def word(self) -> str:
        """The state in words."""
        return WORDS[self.state] + (f" ({self.limit})" if self.limit else "")

    @property
    def points(self) -> str:
        """The points in words, a dash while there are none."""
        return "–" if self.state == "waiting" else points(self.score)

    @property
    def sign(self) -> str:
        """A sign for the state, which never stands without the word."""
        return SIGNS.get(self.state, "✗")

    @property
    def titles(self) -> list[str]:
        """What went wrong, in a few words each."""
        named = list(dict.fromkeys(mistake.title for mistake in self.mistakes if mistake.title))
        return named or ([self.short] if self.short else [])

    @property
    def said(self) -> set[str]:
        """What its mistakes say already."""
        return {text for m in self.mistakes for text in (m.title, m.message)}


def read_verdict(grade_id: str, mark: Mark | None, judged: CellScore | None) -> Verdict:
    """Join what the gradebook and the judge say; where they differ, the gradebook counts."""
    if mark is None:
        score, most = (judged.score, judged.max_score) if judged else (0.0, 0.0)
        mark = Mark(grade_id, score or 0.0, most, waiting=score is None)
    verdict = Verdict(
        grade_id,
        mark.score,
        mark.max_score,
        _state(mark, judged),
        by_person=mark.manual_score is not None,
        extra_credit=mark.extra_credit or 0.0,
    )
    if judged:
        verdict.mistakes = judged.mistakes
        verdict.reason = judged.reason or LIMITS.get(judged.limit, judged.limit)
        verdict.limit = judged.limit
        verdict.short = in_few_words(judged)
    if mark.manual_score is not None:
        verdict.replaced = mark.auto_score
    return verdict


def _state(mark: Mark, judged: CellScore | None) -> str:
    if mark.waiting:
        return "waiting"
    agreed = judged is not None and judged.score is not None and mark.manual_score is None
    if judged and agreed and judged.status != MANUAL:
        return judged.status
    if mark.score >= mark.max_score:
        return "passed"
    return "partial" if mark.score > 0 else "failed"
