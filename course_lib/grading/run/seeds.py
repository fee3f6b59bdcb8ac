"""Seeds that nobody can guess and every rerun draws again: all follow from one secret file."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

SECRET_FILE = ".judge_secret"
HIDDEN_SEED = "COURSE_HIDDEN_SEED"  # what tests read to draw hidden inputs
SMALLEST_HIDDEN, HIDDEN_LIMIT = 1_000, 2**128
SEED_LIMIT = 2**128  # too many to be tried out, by whoever prints what an answer drew


def read_secret(root: Path) -> bytes:
    """Return the course's secret; the first call creates it, readable by its owner alone.

    Raises:
        ValueError: the file holds no secret.
    """
    path = root / SECRET_FILE
    with contextlib.suppress(FileExistsError):
        # Made whole under another name first: a killed run leaves no half of it.
        draft = root / f"{SECRET_FILE}.{os.getpid()}.{secrets.token_hex(4)}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        try:
            os.link(draft, path)  # fails if another run was faster
        finally:
            draft.unlink()
    text = path.read_text(encoding="ascii").strip()
    if len(text) < 32:
        raise ValueError(
            f"{path} must hold at least 32 characters, found {len(text)}: restore it from a "
            "backup, or remove it and grade everything anew"
        )
    return text.encode()


def submission_seed(secret: bytes, student: str, assignment: str, notebook: str) -> int:
    """Return the seed of both sides' random generators, from 0 up to, not including, 2³²."""
    return _draw(secret, f"{student}/{assignment}/{notebook}") % SEED_LIMIT


def hidden_seed(secret: bytes, assignment: str) -> int:
    """Return the seed of an assignment's hidden inputs, from 1,000 up to, not including, 2¹²⁸."""
    drawn = _draw(secret, f"hidden inputs of {assignment}")
    return SMALLEST_HIDDEN + drawn % (HIDDEN_LIMIT - SMALLEST_HIDDEN)


def hidden_environment(secret: bytes, assignment: str) -> dict[str, str]:
    """Return the variable that tests read: the user's own if the shell has it, else ours."""
    given = os.environ.get(HIDDEN_SEED)
    return {HIDDEN_SEED: str(hidden_seed(secret, assignment)) if given is None else given}


def _draw(secret: bytes, name: str) -> int:
    return int.from_bytes(hmac.digest(secret, name.encode(), hashlib.sha256), "big")
