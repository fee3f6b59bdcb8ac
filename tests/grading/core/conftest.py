"""The two walls that can be had on Linux."""

import sys
from pathlib import Path

import pytest

from course_lib.grading.grade import close_workers


@pytest.fixture(params=["with bubblewrap", "without bubblewrap"])
def either_wall(request, monkeypatch):
    """Let what is graded in the test be behind this wall."""
    close_workers()
    if request.param == "without bubblewrap":
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    yield request.param
    close_workers()
