"""`scripts/run_lesson.py` on a copy: every step runs, and the end says what failed."""

from typing import Any

import pytest

pytestmark = pytest.mark.slow

SCRIPTS = ("gpt_forward.py", "param_count.py", "gpt2_model.py", "expected_values.py")


def write_scripts(harness: Any, **faults: str) -> None:
    folder = harness.folder / "scripts" / "lesson-14"
    folder.mkdir()
    for name in SCRIPTS:
        body = f"print('table of {name}')\n{faults.get(name.removesuffix('.py'), '')}\n"
        (folder / name).write_text(body)


def test_all_well(harness: Any) -> None:
    write_scripts(harness, gpt_forward="import os; print(os.environ['MPLBACKEND'])")
    harness.write("01_sum", "print(6 * 7)")
    assert harness.render().returncode == 0
    done = harness.python("scripts/run_lesson.py", "lesson-14")
    assert done.returncode == 0, done.stdout
    assert "\nagg\n" in done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith("lesson-14: all well")


def test_each_step_runs_and_each_failure_is_named_last(harness: Any) -> None:
    write_scripts(harness, param_count="raise SystemExit(3)")
    harness.write("01_sum", "print(6 * 7)")
    harness.write("02_product", "print(6 * 7)")
    assert harness.render().returncode == 0
    path = harness.lessons / "01_sum.ipynb"
    path.write_text(path.read_text().replace("42", "43"))
    harness.write("03_never_run", "1")
    done = harness.python("scripts/run_lesson.py", "lesson-14")
    assert done.returncode == 1
    assert all(f"table of {name}" in done.stdout for name in SCRIPTS)
    end = done.stdout.strip().splitlines()[-4:]
    assert end[0].startswith("lesson-14: 3 FAILED")
    assert sorted(end[1:]) == [
        "  FAILED notebooks.lesson-14.01_sum.ipynb: Cell 0",
        "  FAILED notebooks.lesson-14.03_never_run.ipynb",
        "  FAILED scripts/lesson-14/param_count.py",
    ]


def test_a_missing_script_and_an_empty_folder_are_failures(harness: Any) -> None:
    done = harness.python("scripts/run_lesson.py", "lesson-14")
    assert done.returncode == 1
    assert "FAILED notebooks/lesson-14" in done.stdout
    assert "FAILED scripts/lesson-14/expected_values.py" in done.stdout


def test_an_unknown_lesson_is_an_error(harness: Any) -> None:
    done = harness.python("scripts/run_lesson.py", "lesson-15")
    assert done.returncode == 2
    assert "Name one lesson of: lesson-14" in done.stdout
