"""What a student may be shown of a notebook: it comes from a run that no hidden test has been in.

A student's code could print the hidden inputs that it saw, or quote them in an error's text. So a
notebook that has hidden tests runs twice. The first run leaves these tests out; what it shows may
be shown. The second one judges, and nothing that it makes a student's code say is shown freely.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from course_lib.grading.result import CellScore

Output = dict[str, Any]


@dataclass(frozen=True)
class ShownTest:
    """A test without hidden lines: its score, its outputs, and what of them may be shown."""

    score: CellScore
    outputs: Sequence[Output] = ()
    public: Sequence[Output | None] = ()

    def agrees(self, judged: CellScore) -> bool:
        """Return whether the second run came to the same: else its words do not fit."""
        return (self.score.score, self.score.status) == (judged.score, judged.status)


@dataclass(frozen=True)
class Shown:
    """What the first run brought.

    outputs, errors: what each of the student's cells showed, and what it raised as a sentence;
    stopped: of cells that hit a limit, which, and the sentence; tests: by grade id; cpu_seconds,
    wall_seconds: what it took; broken_off: it took too long beside the others of its class.
    """

    outputs: Mapping[str, Sequence[Output]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    stopped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tests: Mapping[str, ShownTest] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    broken_off: bool = False

    def to_text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Shown:
        """Rebuild what `to_text` gave; "" stands for a run that showed nothing."""
        if not text:
            return cls()
        plain = json.loads(text)
        tests = {
            name: ShownTest(**{**test, "score": CellScore.from_plain(test["score"])})
            for name, test in plain.pop("tests").items()
        }
        return cls(tests=tests, **plain)
