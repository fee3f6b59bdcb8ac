"""docs/coverage.md says where each piece of the sources lives; these tests open every place.

A place is a cell of a lesson (03#toy) or of exercises (E3#count-task), an expected value
(expected: toy: one block), a test (path::name), a name in course_lib, or a path. The
last column of a table quotes what stands there.
"""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
EXPECTED = ROOT / "scripts" / "lesson-14" / "expected_values.json"
NO_PLACE = re.compile(r"left out: \w")


class Row(NamedTuple):
    what: str
    where: str
    found: str


def cells_of(line: str) -> list[str]:
    r"""Split a line of a table; \| is a bar inside a cell."""
    parts = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [part.replace(r"\|", "|").strip() for part in parts]


def rows_of(page: str) -> list[Row]:
    """Read the tables that have a column of places: "where" or "said in"."""
    rows: list[Row] = []
    columns: list[str] | None = None
    for line in page.splitlines():
        if not line.startswith("|"):
            columns = None
        elif columns is None:
            columns = cells_of(line)
        elif not set(line) <= set("|- ") and (place := {"where", "said in"} & set(columns)):
            row = dict(zip(columns, cells_of(line), strict=True))
            found = row.get("found there", "")
            rows.append(Row(row[columns[0]], row[place.pop()], found))
    return rows


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@cache
def cells_of_notebook(number: str) -> dict[str, str]:
    """Map the ids of a notebook's cells (03, or E3) to their source and everything they print."""
    texts = {}
    folder = "exercises" if number.startswith("E") else "notebooks"
    for path in (ROOT / folder / "lesson-14").glob(f"{number.removeprefix('E')}_*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            parts = ["".join(cell["source"])]
            for output in cell.get("outputs", []):
                data = output.get("data", {}) | {"stream": output.get("text", "")}
                parts += ["".join(t) for kind, t in data.items() if not kind.startswith("image")]
            texts[cell["id"]] = "\n".join(parts)
    return texts


@cache
def expected_rows() -> dict[str, str]:
    values = json.loads(EXPECTED.read_text(encoding="utf-8"))["values"]
    return {row["name"]: json.dumps(row) for row in values}


def definition(source: str, names: list[str]) -> str | None:
    """Return the code that defines names[0], or names[1] inside the class names[0], …"""
    body = ast.parse(source).body
    found: ast.stmt | None = None
    for name in names:
        found = next((node for node in body if name in defined_by(node)), None)
        body = getattr(found, "body", [])
    return None if found is None else ast.get_source_segment(source, found)


def defined_by(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [t.id for t in targets if isinstance(t, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def library_name(dotted: str) -> str | None:
    parts = dotted.split(".")
    for n in range(len(parts) - 1, 0, -1):
        module = ROOT.joinpath(*parts[:n]).with_suffix(".py")
        if module.is_file():
            return definition(module.read_text(encoding="utf-8"), parts[n:])
    return None


@cache
def text_at(place: str) -> str | None:
    """Return what stands at a place, or None where there is no such place."""
    if re.fullmatch(r"(\d\d|E\d)#[a-z0-9-]+", place):
        number, cell = place.split("#")
        return cells_of_notebook(number).get(cell)
    if place.startswith("expected: "):
        return expected_rows().get(place.removeprefix("expected: "))
    if "::" in place:
        name, test = place.split("::")
        path = ROOT / name
        return definition(path.read_text(encoding="utf-8"), [test]) if path.is_file() else None
    if place.startswith("course_lib."):
        return library_name(place)
    path = ROOT / place
    return path.read_text(encoding="utf-8") if path.is_file() else None


def missing_places(rows: list[Row]) -> list[str]:
    return [
        f"{row.what}: no {place!r}"
        for row in rows
        for place in quoted(row.where)
        if text_at(place) is None
    ]


def missing_words(rows: list[Row]) -> list[str]:
    return [
        f"{row.what}: {words!r} stands nowhere in {row.where}"
        for row in rows
        for words in quoted(row.found)
        if not any(words in (text_at(place) or "") for place in quoted(row.where))
    ]


def without_an_answer(rows: list[Row]) -> list[str]:
    return [row.what for row in rows if not quoted(row.where) and not NO_PLACE.search(row.where)]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return rows_of(PAGE.read_text(encoding="utf-8"))


def test_every_place_on_the_page_exists(rows: list[Row]) -> None:
    assert len(rows) > 250
    assert missing_places(rows) == []


def test_what_the_page_quotes_stands_at_one_of_the_places(rows: list[Row]) -> None:
    assert missing_words(rows) == []


def test_every_row_has_a_place_or_says_why_not(rows: list[Row]) -> None:
    assert without_an_answer(rows) == []


def test_every_expected_value_has_its_row(rows: list[Row]) -> None:
    named = {place for row in rows for place in quoted(row.where)}
    assert [name for name in expected_rows() if f"expected: {name}" not in named] == []


@pytest.mark.parametrize(
    "where",
    [
        "`03#no-such-cell`",
        "`99#toy`",
        "`E3#no-such-cell`",
        "`E9#count-task`",
        "`expected: toy: no such value`",
        "`tests/test_gpt.py::test_no_such_test`",
        "`tests/no_such_file.py::test_x`",
        "`course_lib.gpt.no_such_function`",
        "`course_lib.no_such_module.gpt_logits`",
        "`course_lib.toy_gpt.ToyBlock.no_such_field`",
        "`scripts/lesson-14/no_such_script.py`",
    ],
)
def test_a_place_that_is_gone_is_found(where: str) -> None:
    page = f"| what | where | found there |\n| --- | --- | --- |\n| x | {where} | |\n"
    assert len(missing_places(rows_of(page))) == 1


@pytest.mark.parametrize(
    ("row", "complaints"),
    [
        (r"| x | `01#draw-toy` | `[ 6 12  6 20 12  4  8  6]` |", 0),
        (r"| x | `01#draw-toy` | `[ 6 12  6 20 12  4  8  7]` |", 1),
        (r"| x | `02#change-last` | `max \|dZ\| at positions 0..6: 0.0` |", 0),
        (r"| x | `expected: toy: one block` | `49728` |", 0),
        (r"| x | `course_lib.toy_gpt.ToyBlock.W_Q` | `Array` |", 0),
    ],
)
def test_words_that_do_not_stand_there_are_found(row: str, complaints: int) -> None:
    page = f"| what | where | found there |\n| --- | --- | --- |\n{row}\n"
    assert len(missing_words(rows_of(page))) == complaints


@pytest.mark.parametrize("where", ["", "somewhere", "later: some day", "left out:"])
def test_a_row_without_an_answer_is_found(where: str) -> None:
    page = f"| what | where | found there |\n| --- | --- | --- |\n| x | {where} | |\n"
    assert without_an_answer(rows_of(page)) == ["x"]
