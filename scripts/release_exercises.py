"""Make the students' notebooks from the instructor's: solutions/ -> exercises/.

Usage: python scripts/release_exercises.py [LESSON…] [--check]

nbgrader does it, in a scratch folder with a gradebook of its own: the instructor's gradebook is
left alone. With --check nothing is written; exit status 1 if the exercises lag behind.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

REPOSITORY = Path(__file__).resolve().parents[1]


def generate(lesson: str) -> dict[str, str]:
    """Return the students' notebooks of a lesson, name -> text, as nbgrader makes them."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        shutil.copy(REPOSITORY / "nbgrader_config.py", root)
        shutil.copytree(REPOSITORY / "solutions" / lesson, root / "solutions" / lesson,
                        ignore=shutil.ignore_patterns(".*"))  # fmt: skip
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", lesson]
        done = subprocess.run(
            command, cwd=root, env=nbgrader_environment(), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{done.stdout}\nnbgrader could not make the exercises of {lesson}")
        made = sorted((root / "exercises" / lesson).glob("*.ipynb"))
        return {path.name: clean(path.read_text(encoding="utf-8")) for path in made}


def nbgrader_environment() -> dict[str, str]:
    """The environment for nbgrader, which calls the program `alembic` by name."""
    folder = str(Path(sys.executable).parent)
    return dict(os.environ) | {"PATH": os.pathsep.join([folder, os.environ.get("PATH", "")])}


def clean(text: str) -> str:
    """Return a notebook's text in the one form that is kept in git: no outputs, no run counts."""
    notebook = nbformat.reads(text, as_version=4)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return str(nbformat.writes(notebook)) + "\n"


def lagging(lesson: str, made: dict[str, str]) -> list[str]:
    """Name the exercises that are not what the solutions give."""
    folder = REPOSITORY / "exercises" / lesson
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}
    return sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))


def write(lesson: str, made: dict[str, str]) -> None:
    """Put the exercises in place and take away those that have no solution any more."""
    folder = REPOSITORY / "exercises" / lesson
    folder.mkdir(parents=True, exist_ok=True)
    for name in lagging(lesson, made):
        if name in made:
            (folder / name).write_text(made[name], encoding="utf-8")
        else:
            (folder / name).unlink()
        print(f"exercises/{lesson}/{name}: {'written' if name in made else 'removed'}")


def main() -> int:
    """Read the command line and make the exercises."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lessons", metavar="LESSON", nargs="*", default=["lesson-14"])
    parser.add_argument("--check", action="store_true", help="write nothing, name what lags behind")
    given = parser.parse_args()
    status = 0
    for lesson in given.lessons:
        if not (REPOSITORY / "solutions" / lesson).is_dir():
            parser.error(f"there is no folder solutions/{lesson}")
        made = generate(lesson)
        if not given.check:
            write(lesson, made)
        for name in lagging(lesson, made):
            print(f"exercises/{lesson}/{name} lags behind: run `make release`")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
