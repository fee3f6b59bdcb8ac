"""A copy of the harness to try things on, with notebooks made for the purpose."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Outcome:
    """What pytest said about one notebook."""

    failed: bool = False
    skipped: bool = False
    text: str = ""
    seconds: float = 0.0
    cells: dict[str, str] = field(default_factory=dict)  # what was said of each; "" if it passed


class Harness:
    """The harness without the course, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lessons = folder / "notebooks" / "lesson-14"
        self.lessons.mkdir(parents=True)
        for name in ("pyproject.toml", "constraints.txt", "Makefile", "notebooks/conftest.py"):
            shutil.copy(ROOT / name, folder / name)
        skip = shutil.ignore_patterns("__pycache__", "lesson-14", "*.lock")
        # The list of fonts saves each copy some seconds.
        for part in ("notebooks/lesson_guard", "scripts", ".cache/matplotlib"):
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, folder / part, ignore=skip)

    def write(self, name: str, *sources: str, tags: list[str] | None = None, **course: Any) -> Path:
        """Write a notebook as an editor leaves it: never run, ids drawn at random."""
        cells = [
            {"cell_type": "code", "execution_count": None, "id": f"{number:08x}", "outputs": []}
            | {"metadata": {"tags": tags} if tags else {}, "source": source}
            for number, source in enumerate(sources)
        ]
        metadata = {"course": course} if course else {}
        return self.save(name, {"cells": cells, "metadata": metadata})

    def save(self, name: str, notebook: dict[str, Any]) -> Path:
        path = self.lessons / f"{name}.ipynb"
        path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5} | notebook))
        return path

    def load(self, name: str) -> dict[str, Any]:
        return json.loads((self.lessons / f"{name}.ipynb").read_text(encoding="utf-8"))

    def python(
        self, *arguments: str, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run Python in the folder, its two output streams joined."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=env or dict(os.environ),
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def render(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("scripts/render_notebooks.py", *arguments)

    def nbval(self, *arguments: str, env: dict[str, str] | None = None) -> dict[str, Outcome]:
        """Run nbval on the notebooks; give the outcome of each by its name."""
        report = self.folder / "report.xml"
        env = (env or dict(os.environ)) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        options = ["-p", "nbval", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments]
        self.python("-m", "pytest", "--nbval", "notebooks/lesson-14", *options, env=env)
        found: dict[str, Outcome] = {}
        for case in ET.parse(report).iter("testcase"):
            place = case.get("classname") or case.get("name") or ""
            outcome = found.setdefault(re.findall(r"(\w+)\.ipynb", place)[0], Outcome())
            outcome.seconds += float(case.get("time") or 0)
            said = "".join(f"{child.get('message')}\n{child.text}\n" for child in case)
            outcome.text += said
            outcome.cells[case.get("name") or ""] = said
            outcome.failed |= any(child.tag in {"failure", "error"} for child in case)
            outcome.skipped |= any(child.tag == "skipped" for child in case)
        return found


@pytest.fixture(scope="module")
def new_harness(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Harness]:
    """Make copies of the harness; the folder's name has a space in it."""
    return lambda: Harness(tmp_path_factory.mktemp("the course"))


@pytest.fixture
def harness(new_harness: Callable[[], Harness]) -> Harness:
    return new_harness()
