"""Every output that the lessons commit is compared: a changed digit in any of them is found.

The lessons are copied, one digit (or one pixel) is changed in every cell that shows something, and
the main job runs on the copy. Each of those cells must fail, and no other.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "notebooks" / "lesson-14"
Notebook = dict[str, Any]


def joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def change_a_digit(text: str) -> str:
    """Raise the last digit by one, 9 to 0; a text without any gets one more letter."""
    found = list(re.finditer(r"\d", text))
    if not found:
        return text + "x"
    place = found[-1].start()
    return text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]


def change_a_pixel(png: str) -> str:
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    red, green, blue = picture.getpixel((5, 5))  # type: ignore[misc]  # RGB has three
    picture.putpixel((5, 5), (red, green, (blue + 128) % 256))
    changed = io.BytesIO()
    picture.save(changed, format="PNG")
    return base64.b64encode(changed.getvalue()).decode()


def change_an_output(output: dict[str, Any], turn: int) -> None:
    """Change one thing in an output; pictures lose a pixel, a digit of their words, in turn."""
    if "text" in output:
        output["text"] = change_a_digit(joined(output["text"]))
    elif "image/png" in output["data"] and turn % 3 == 0:
        output["data"]["image/png"] = change_a_pixel(joined(output["data"]["image/png"]))
    elif "image/png" in output["data"] and turn % 3 == 1:
        before, alt, after = joined(output["data"]["text/html"]).partition(' alt="')
        words, style, rest = after.partition('" style')
        output["data"]["text/html"] = before + alt + change_a_digit(words) + style + rest
    else:
        output["data"]["text/plain"] = change_a_digit(joined(output["data"]["text/plain"]))


def test_a_change_in_any_output_of_any_lesson_is_found(tmp_path: Path) -> None:
    skip = shutil.ignore_patterns("__pycache__")
    for folder in ("course_lib", "notebooks", "scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    changed: set[tuple[str, str]] = set()
    compared: set[tuple[str, str]] = set()
    for path in sorted((tmp_path / "notebooks" / "lesson-14").glob("*.ipynb")):
        notebook: Notebook = json.loads(path.read_text("utf-8"))
        needs = notebook["metadata"].get("course", {}).get("needs", [])
        if any(importlib.util.find_spec(package) is None for package in needs):
            continue
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(code):
            compared.add((path.stem, f"Cell {number}"))
            if cell["outputs"]:
                change_an_output(cell["outputs"][-1], turn=len(changed))
                changed.add((path.stem, f"Cell {number}"))
        path.write_text(json.dumps(notebook), "utf-8")
    assert len(changed) > 100

    run = subprocess.run(
        [sys.executable, "scripts/run_lesson.py", "lesson-14"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stdout[-3000:] + run.stderr[-3000:]

    failed: set[tuple[str, str]] = set()
    passed: set[tuple[str, str]] = set()
    for case in ET.parse(tmp_path / "build" / "lesson-14.xml").iter("testcase"):
        assert case.get("classname"), ET.tostring(case, "unicode")  # a lesson that was refused
        where = (str(case.get("classname")).split(".")[-2], str(case.get("name")))
        outcomes = {child.tag for child in case}
        if {"failure", "error"} & outcomes:
            failed.add(where)
        elif "skipped" not in outcomes:
            passed.add(where)
    assert failed == changed
    assert passed == compared - changed


@pytest.mark.parametrize("path", sorted(LESSONS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_figures_say_in_words_what_they_show(path: Path) -> None:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                words = joined(output["data"]["text/plain"]).removeprefix("[figure] ")
                assert len(words) > 60, (path.name, cell["id"])
                assert output["metadata"]["image/png"]["alt"] == words
                assert ' alt="' in joined(output["data"]["text/html"])
