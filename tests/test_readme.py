"""What the README promises: its example, its figures, its commands and its links."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import numpy as np

from course_lib.toy_gpt import TOY_IDS, lesson_14_toy, toy_residual_stream

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_prints_what_it_says() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_number_of_compared_figures_is_the_tables() -> None:
    table = json.loads((ROOT / "scripts/lesson-14/expected_values.json").read_text("utf-8"))
    found = re.search(r"this and (\d+) other figures", README)
    assert found is not None
    assert int(found[1]) + 1 == len(table["values"])


def test_the_residual_norm_is_the_toys() -> None:
    norm = float(np.linalg.norm(toy_residual_stream(lesson_14_toy(), TOY_IDS)[-1]))
    assert abs(norm - 70.10999244799358) < 1e-12
    assert "70.10999244799358" in README


def test_every_command_is_in_the_makefile() -> None:
    targets = set(
        re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    )
    commands = set(re.findall(r"(?m)(?:^|`)make ([a-z][a-z0-9-]*)", README))
    assert {"lesson-14", "test", "lab"} <= commands <= targets


def test_every_link_leads_somewhere() -> None:
    links = [x for x in re.findall(r"\]\(([^)]+)\)", README) if not x.startswith("http")]
    assert links
    assert [x for x in links if not (ROOT / x).exists()] == []


def test_the_exercises_are_as_many_and_worth_as_much_as_it_says() -> None:
    notebooks = sorted((ROOT / "exercises/lesson-14").glob("*.ipynb"))
    points = sum(
        cell["metadata"].get("nbgrader", {}).get("points", 0)
        for path in notebooks
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    )
    assert len(notebooks) == 6
    assert (
        f"Six notebooks in [`exercises/lesson-14/`](exercises/lesson-14/1_gpt2.ipynb), {points:g}"
        in README
    )
