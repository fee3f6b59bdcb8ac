"""A grader with secrets around it, and a look at what an attack leaves behind."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from course_lib.grading.grade import _own, close_workers, grade
from course_lib.grading.result import Result
from tests.grading.attacks.attack import Places
from tests.grading.attacks.processes import descendants
from tests.grading.attacks.small_course import (
    CANARIES,
    SETTINGS,
    VARIABLE,
    Handed,
    source_notebook,
)


@dataclass
class Grader:
    """Grades submissions of the small course, all in one worker.

    places: where secrets lie.
    """

    folder: Path
    places: Places

    def processes(self) -> frozenset[int]:
        """Return all processes below this one, with the worker's among them, which is idle."""
        worker = getattr(_own, "worker", None)
        if worker is None or worker.settings != SETTINGS or not worker.alive:
            self.grade(Handed())  # other tests close workers, or have others
        return descendants(os.getpid())

    def grade(self, handed: Handed) -> Result:
        """Grade a submission."""
        path = self.folder / "submission.ipynb"
        path.write_text(json.dumps(handed.notebook()))
        return grade(self.folder / "source.ipynb", path, SETTINGS, seed=5)

    def files(self) -> dict[str, str]:
        """Return all files that could be reached, with their content; the worker's own too."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path.name != "submission.ipynb":
                found[str(path)] = path.read_bytes().hex()[:400]
        return found


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    close_workers()  # those of other tests
    folder = tmp_path_factory.mktemp("attacked")
    folder.chmod(0o755)  # others may come in: what keeps secrets is the wall, not this folder
    places = _plant_secrets(folder)
    (folder / "source.ipynb").write_text(json.dumps(source_notebook()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / "home"))
        patch.setenv(VARIABLE, CANARIES["environment"])
        (folder / "tmp").mkdir(mode=0o755)
        patch.setattr(tempfile, "tempdir", str(folder / "tmp"))
        made = Grader(folder, places)
        yield made
        close_workers()


def _plant_secrets(folder: Path) -> Places:
    places = {
        "home": folder / "home" / "diary.txt",
        "course": folder / "course" / "solutions" / "week-1" / "answers.py",
        "gradebook": folder / "course" / "gradebook.db",
        "classmate": folder / "course" / "submitted" / "ada" / "week-1" / "answers.ipynb",
    }
    for name, path in places.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == "gradebook":
            connection = sqlite3.connect(path)
            with connection:
                connection.execute("create table grade (points, remark)")
                connection.execute("insert into grade values (1, ?)", [CANARIES[name]])
            connection.close()
        else:
            path.write_text(f"secret = '{CANARIES[name]}'\n")
        path.chmod(0o666)
    for below in folder.rglob("*"):
        if below.is_dir():
            below.chmod(0o777)
    return {name: str(path) for name, path in places.items()}
