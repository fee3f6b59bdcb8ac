"""The Makefile on a copy, with a stand-in for Python that records how it is called."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGETS = (
    "lesson-14", "test", "lint", "lab", "render", "release", "student", "autograde",
    "formgrader",
    "feedback", "report", "bench", "torch", "clean", "help",
)  # fmt: skip

# Reports a version as asked, "creates" an environment by copying itself, and logs all else.
STAND_IN = """#!/bin/sh
case "$*" in
  --version) echo "Python $STAND_IN_VERSION"; exit 0 ;;
  *sys.version_info*) [ "$STAND_IN_VERSION" != 3.9.2 ]; exit ;;
  *ensurepip*) [ -z "$STAND_IN_NO_VENV" ]; exit ;;
  "-m pip --version") [ ! -e "$(dirname "$0")/half-made" ]; exit ;;
  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
esac
echo "$*" >> calls.log
case "$*" in "-m pip install"*) exit "${STAND_IN_PIP:-0}" ;; esac
"""


class Commands:
    """Runs make in a copy of the harness."""

    def __init__(self, harness: Any) -> None:
        self.folder: Path = harness.folder
        self.python = self.folder / "my python"
        self.python.write_text(STAND_IN)
        self.python.chmod(0o755)

    def make(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL", "VENV"}}
        return subprocess.run(
            ["make", f"PYTHON={self.python}", *arguments],
            cwd=self.folder,
            env=kept | {"STAND_IN_VERSION": "3.11.9"} | settings,
            check=False,
            capture_output=True,
            text=True,
        )

    def calls(self) -> list[str]:
        """Give what Python was called with since the last time."""
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def commands(harness: Any) -> Commands:
    return Commands(harness)


def test_help_is_the_default_and_names_every_target(commands: Commands) -> None:
    done = commands.make()
    assert done.returncode == 0
    assert set(re.findall(r"^make ([a-z0-9-]+)", done.stdout, re.MULTILINE)) == set(TARGETS)
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == set(TARGETS)


def test_the_first_lesson_run_sets_up_and_the_second_does_not(commands: Commands) -> None:
    assert commands.make("lesson-14").returncode == 0
    venv, install, run = commands.calls()
    assert venv == "-m venv .venv"
    assert install.startswith("-m pip install")
    assert install.endswith("--constraint constraints.txt --editable .[lessons,checkpoints]")
    assert run == "scripts/run_lesson.py lesson-14"
    assert commands.make("lesson-14").returncode == 0
    assert commands.calls() == ["scripts/run_lesson.py lesson-14"]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_change_of_what_is_installed_installs_again(commands: Commands, name: str) -> None:
    commands.make("lesson-14")
    commands.calls()
    stamp = (commands.folder / ".venv" / ".lessons").stat().st_mtime
    os.utime(commands.folder / name, (stamp + 5, stamp + 5))
    commands.make("lesson-14")
    install, _ = commands.calls()
    assert install.startswith("-m pip install")


def test_a_failed_install_does_not_look_finished(commands: Commands) -> None:
    assert commands.make("lesson-14", STAND_IN_PIP="1").returncode != 0
    assert not [call for call in commands.calls() if "run_lesson" in call]
    assert commands.make("lesson-14").returncode == 0
    install, run = commands.calls()
    assert install.startswith("-m pip install")
    assert run == "scripts/run_lesson.py lesson-14"


def test_a_half_made_environment_is_made_anew(commands: Commands) -> None:
    commands.make("lesson-14", STAND_IN_PIP="1")
    (commands.folder / ".venv" / "bin" / "half-made").touch()
    commands.calls()
    assert commands.make("lesson-14").returncode == 0
    assert commands.calls()[0] == "-m venv .venv"


def test_an_environment_whose_python_is_gone_is_made_anew(commands: Commands) -> None:
    commands.make("lesson-14")
    python = commands.folder / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nonexistent/python3.11")
    commands.calls()
    assert commands.make("lesson-14").returncode == 0
    assert commands.calls()[0] == "-m venv .venv"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"STAND_IN_VERSION": "3.9.2"}, "Python 3.9.2 is too old: this course needs Python 3.11"),
        ({"STAND_IN_NO_VENV": "1"}, "sudo apt-get install python3-venv"),
    ],
)
def test_an_unfit_python_is_refused_with_advice(
    commands: Commands, settings: dict[str, str], message: str
) -> None:
    done = commands.make("lesson-14", **settings)
    assert done.returncode != 0
    assert message in done.stderr
    assert not (commands.folder / ".venv").exists()


def test_no_python_at_all_is_said_plainly(commands: Commands) -> None:
    done = commands.make("PYTHON=no-such-python", "lesson-14")
    assert "There is no no-such-python. Install Python 3.11 or newer" in done.stderr


def test_autograde_passes_on_what_is_asked_for(commands: Commands) -> None:
    assert commands.make("autograde").returncode == 0
    _, install, run = commands.calls()
    assert install.endswith("--editable .[lessons,grading]")
    assert run == "-m course_lib.grading autograde lesson-14"
    commands.make("autograde", "JOBS=3", "ASSIGNMENT=week 1", "ARGS=--force")
    assert commands.calls() == ["-m course_lib.grading autograde week 1 --jobs 3 --force"]


def test_autograde_on_a_scheduler_installs_dask(commands: Commands) -> None:
    assert commands.make("autograde", "SCHEDULER=tcp://host:8786").returncode == 0
    _, install, run = commands.calls()
    assert install.endswith("--editable .[lessons,grading,cluster]")
    assert run.endswith("autograde lesson-14 --scheduler tcp://host:8786")


def test_feedback_and_report_pass_on_what_is_asked_for(commands: Commands) -> None:
    done = commands.make("feedback", "JOBS=3", "ASSIGNMENT=my hw", "ARGS=--student ada")
    assert done.returncode == 0, done.stderr
    assert commands.calls()[-1] == "-m course_lib.grading.feedback my hw --jobs 3 --student ada"
    done = commands.make("report", "ARGS=--formgrader http://localhost:8888/formgrader")
    assert done.returncode == 0, done.stderr
    assert commands.calls()[-1] == (
        "-m course_lib.grading.class_report lesson-14 --formgrader http://localhost:8888/formgrader"
    )


def test_torch_adds_its_extra(commands: Commands) -> None:
    commands.make("torch")
    assert commands.calls()[-1].endswith("--editable .[lessons,checkpoints,torch]")


def test_the_test_command_lints_and_runs_tests_and_lessons(commands: Commands) -> None:
    assert commands.make("test").returncode == 0
    calls = commands.calls()
    assert [call.split()[1] for call in calls[-4:]] == ["ruff", "ruff", "mypy", "pytest"]
    assert "--nbval" in calls[-1]
    assert " tests notebooks" in calls[-1]


def test_clean_leaves_the_lessons(commands: Commands) -> None:
    commands.make("lesson-14")
    assert commands.make("clean").returncode == 0
    assert not (commands.folder / ".venv").exists()
    assert (commands.folder / "notebooks" / "lesson-14").is_dir()
