"""One notebook to grade: all that a worker needs, also on another machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from course_lib.grading.result import Remark
from course_lib.grading.settings import Settings
from course_lib.grading.template import Delimiters, Template

WHOLE, SHOW, JUDGE = "whole", "show", "judge"


@dataclass(frozen=True)
class Job:
    """A submission and what it is judged by.

    source: the instructor's notebook, as bytes of its file; submission: the student's, None if
    there is none; seed: for the random generators of both sides; data: name and content of the
    files that were handed out beside the notebook; remarks: what finding the file found odd;
    modes: by grade id, a cell tag that a test is to be treated as having.

    A notebook that has hidden tests runs twice (see `judge.shown`). part: SHOW for the first run,
    whose Result has `shown` (or is final, where no test has hidden lines); JUDGE for the second,
    which takes that; WHOLE for both, one after the other. spent: seconds of the notebook's limit
    that are gone; slice: seconds after which this run is broken off, to be done anew (see
    `run.pace`), 0 for none.
    """

    source: bytes
    submission: bytes | None
    seed: int = 0
    settings: Settings = field(default_factory=Settings)
    delimiters: Delimiters = field(default_factory=Delimiters)
    data: tuple[tuple[str, bytes], ...] = ()
    remarks: tuple[Remark, ...] = ()
    modes: tuple[tuple[str, str], ...] = ()
    part: str = WHOLE
    shown: str = ""
    spent: float = 0.0
    slice: float = 0.0

    def data_digest(self) -> str:
        """Return a name for the data files, that changes when one does."""
        digest = hashlib.sha256()
        for name, content in self.data:
            digest.update(hashlib.sha256(name.encode()).digest())
            digest.update(hashlib.sha256(content).digest())
        return digest.hexdigest()[:32]

    @staticmethod
    def packages(template: Template, settings: Settings) -> tuple[str, ...]:
        """Return what answers in this notebook may import.

        The notebook's metadata may add to the course's own list: {"judge": {"packages": […]}}.
        """
        more = template.notebook.get("metadata", {}).get("judge", {}).get("packages", ())
        return tuple(dict.fromkeys((*settings.packages, *map(str, more))))
