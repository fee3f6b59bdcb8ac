"""The table *Expected numerical outputs*: all rows ok, and any changed constant shows in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
EXPECTATIONS = REPOSITORY / "scripts/lesson-14/expected_values.json"


def print_table(repository: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/lesson-14/expected_values.py"],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": str(repository), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for folder in ("course_lib", "scripts/lesson-14"):
        shutil.copytree(
            REPOSITORY / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    return tmp_path


def test_every_row_is_ok() -> None:
    table = print_table(REPOSITORY)
    assert table.returncode == 0, table.stdout + table.stderr
    count = len(json.loads(EXPECTATIONS.read_text("utf-8"))["values"])
    assert f"{count} of {count} rows ok" in table.stdout
    assert "DIFFERS" not in table.stdout


def test_lesson_14_prints_55_numbers_and_the_documents_90_in_all() -> None:
    values = json.loads(EXPECTATIONS.read_text("utf-8"))["values"]
    first = [v["name"] for v in values if v["document"] == 1]
    assert first.index("bits of data per bit of parameter budget") + 1 == 55
    assert len({v["name"] for v in values}) == len(values) >= 90
    assert {v["document"] for v in values} == {1, 2, 3}


@pytest.mark.parametrize(
    ("file", "old", "new", "row"),
    [
        ("layers.py", "0.044715", "0.0447", "|HN|"),
        ("layers.py", "LAYER_NORM_EPS = 1e-5", "LAYER_NORM_EPS = 1e-6", "|HN|"),
        (
            "layers.py",
            "-np.inf, dtype=dtype), k=1)",
            "-np.inf, dtype=dtype), k=2)",
            "positions 1..7",
        ),
        ("layers.py", "1 / math.sqrt(Q.shape[-1])", "1 / math.sqrt(64)", "|HN|"),
        ("gpt_parameters.py", "INIT_STD = 0.02", "INIT_STD = 0.021", "residual initialisation"),
        ("gpt_parameters.py", "3 * d", "4 * d", None),
        ("rustlab_random.py", "6364136223846793005", "6364136223846793007", "H0 row 1"),
        ("rustlab_random.py", "for _ in range(6):", "for _ in range(4):", "H0 row 1"),
        ("rustlab_random.py", "0.00492867323399", "0.00492867323398", "H0 row 1"),
        ("toy_gpt.py", "np.arange(1, T + 1)", "np.arange(0, T)", "H0 row 1"),
        (
            "toy_gpt.py",
            "[6, 12, 6, 20, 12, 4, 8, 6]",
            "[6, 12, 6, 20, 12, 4, 9, 6]",
            "ids, 1-based",
        ),
        ("counting/budgets.py", "TOKENS_PER_PARAMETER = 20", "TOKENS_PER_PARAMETER = 21", "toy: D"),
        ("counting/gpt2.py", "12 * d * d", "13 * d * d", "closed formula"),
        ("counting/models.csv", "50257,,1024,768,12", "50258,,1024,768,12", "GPT-2 small"),
    ],
)
def test_a_changed_constant_fails(
    copy: Path, file: str, old: str, new: str, row: str | None
) -> None:
    path = copy / "course_lib" / file
    text = path.read_text("utf-8")
    assert old in text, f"{file} no longer has {old!r}: give this test the new form"
    path.write_text(text.replace(old, new), "utf-8")

    table = print_table(copy)
    assert table.returncode == 1, table.stdout + table.stderr
    if row is not None:
        bad = [line for line in table.stdout.splitlines() if line.startswith("DIFFERS:")]
        assert any(row in line for line in bad), table.stdout


def test_a_changed_expectation_fails_and_names_its_row(copy: Path) -> None:
    path = copy / "scripts/lesson-14/expected_values.json"
    path.write_text(path.read_text("utf-8").replace("124402944", "124402945"), "utf-8")
    table = print_table(copy)
    assert table.returncode == 1
    assert (
        "DIFFERS: GPT-2 small: tied, attention biases left out: "
        "expected 124,402,945, got 124,402,944" in table.stdout
    )


@pytest.mark.parametrize("script", ["gpt_forward.py", "param_count.py", "gpt2_model.py"])
def test_each_script_prints_every_value_it_computes(script: str) -> None:
    run = subprocess.run(
        [sys.executable, f"scripts/lesson-14/{script}"],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    names = [v["name"] for v in json.loads(EXPECTATIONS.read_text("utf-8"))["values"]]
    printed = [name for name in names if any(x.startswith(name) for x in run.stdout.splitlines())]
    assert len(printed) >= len(run.stdout.splitlines())
