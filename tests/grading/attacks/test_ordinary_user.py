"""The attacks once more, as an ordinary user, behind the weaker wall: without bubblewrap."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534
ROOT = Path(__file__).parents[3]
SECONDS = 400.0


def as_nobody(command: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a user without rights, and without bubblewrap on its path."""
    environment = {
        "PATH": "/nonexistent", "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    return subprocess.run(
        command, cwd=ROOT, env=environment, user=NOBODY, group=NOBODY, extra_groups=[],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ordinary-"))
    (folder / "home").mkdir()
    os.chown(folder / "home", NOBODY, NOBODY)
    folder.chmod(0o755)
    yield folder / "home"
    shutil.rmtree(folder)


@pytest.fixture
def interpreter(home: Path) -> str:
    """Return an interpreter with this one's packages that an ordinary user can run."""
    trial = ["-c", "import numpy, IPython, matplotlib, pytest, course_lib.grading"]
    if _works([sys.executable, *trial], home):
        return sys.executable
    system = f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
    if Path(system).exists():
        made = home.parent / "v"
        made_by = subprocess.run([system, "-m", "venv", "--without-pip", made], check=False)
        if made_by.returncode == 0:
            packages = next((made / "lib").glob("python3*")) / "site-packages"
            packages.rmdir()
            packages.symlink_to(sysconfig.get_path("purelib"))
            if _works([f"{made}/bin/python", *trial], home):
                return f"{made}/bin/python"
    pytest.skip(
        f"an ordinary user cannot run {sys.executable} (it lies in a private folder), and {system} "
        "does not work with its packages"
    )


def _works(command: list[str], home: Path) -> bool:
    try:
        return as_nobody(command, home).returncode == 0
    except PermissionError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="run by an ordinary user, test_attacks.py is this")
def test_all_attacks_fail_as_an_ordinary_user_too(home, interpreter):
    attacks = Path(__file__).with_name("test_attacks.py")
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", f"--basetemp={home}/pytest"]
    run = as_nobody([interpreter, "-m", "pytest", str(attacks), *options], home)
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
    assert "skipped" not in run.stdout.splitlines()[-1]
