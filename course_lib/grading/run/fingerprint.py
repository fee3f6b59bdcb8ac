"""When a grade still stands: the digest of all that it follows from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path

from course_lib.grading.settings import Settings

JUDGE = Path(__file__).resolve().parents[1]
# These say how grades are shown or kept, not what they are.
NOT_JUDGING = ("run", "nbgrader_plugin", "marks", "feedback", "class_report", "__main__.py")


@cache
def judge_version() -> str:
    """Return the digest of the judge's own sources."""
    files = (
        path for path in JUDGE.rglob("*.py") if path.relative_to(JUDGE).parts[0] not in NOT_JUDGING
    )
    return digest_of_files(JUDGE, files)


def digest_of_files(root: Path, files: Iterable[Path]) -> str:
    """Return the digest of files' names and contents, in whatever order they come."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def digest_of_dependencies(root: Path, names: Iterable[str]) -> str:
    """Return the digest of the files and folders that a course's tests depend on.

    Raises:
        ValueError: there is no such file or folder.
    """
    digest = hashlib.sha256()
    for name in names:
        place = root / name
        if not place.exists():
            raise ValueError(f"c.Judge.depends_on names {name!r}, which is not in {root}")
        files = [place] if place.is_file() else place.rglob("*")
        kept = [f for f in files if f.is_file() and "__pycache__" not in f.parts]
        digest.update(digest_of_files(place.parent, kept).encode())
    return digest.hexdigest()


def settings_digest(settings: Settings) -> str:
    """Return the digest of a job's settings, the contents of the instruments included."""
    plain = asdict(settings) | {"environment": dict(settings.environment)}
    plain["instruments"] = settings.instrument_texts()
    del plain["carried"]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def fingerprint(tests: str, submission: bytes | None, seed: int, remarks: Iterable[str]) -> str:
    """Return the digest of what one grade follows from.

    tests: the digest of the source notebook, its data, the judge and the settings together.
    """
    handed_in = "missing" if submission is None else hashlib.sha256(submission).hexdigest()
    text = json.dumps([tests, handed_in, seed, list(remarks)])
    return hashlib.sha256(text.encode()).hexdigest()
