"""What a killed grader leaves in the folder for temporary files, the next one clears."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from course_lib.grading.grade import Worker
from course_lib.grading.settings import Settings

KILLED = """
import os, signal
from course_lib.grading.grade import Worker
from course_lib.grading.settings import Settings
print(Worker(Settings()).folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Give a folder for temporary files, for this process and those that it starts."""
    tmp_path.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path
    tempfile.tempdir = None


@pytest.mark.parametrize("bubblewrap", [True, False], ids=["bubblewrap", "no bubblewrap"])
def test_a_killed_graders_folders_are_gone_after_the_next_start(temporary, bubblewrap, monkeypatch):
    if not bubblewrap:  # a path without it: what is installed beside it is not needed here
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    run = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, check=False
    )
    assert run.returncode == -signal.SIGKILL
    left = Path(run.stdout.strip())
    assert left.is_dir()
    (left / "data").chmod(0o311)
    worker = Worker(Settings())
    try:
        assert [path.name for path in temporary.iterdir()] == [worker.folder.name]
    finally:
        worker.close()
    assert list(temporary.iterdir()) == []


def test_the_folder_of_one_that_runs_is_left_alone(temporary):
    first = Worker(Settings())
    try:
        Worker(Settings()).close()
        assert first.folder.is_dir()
        long_ago = 1_000_000_000
        os.utime(first.folder, (long_ago, long_ago))
        Worker(Settings()).close()
        assert first.folder.is_dir()
    finally:
        first.close()
