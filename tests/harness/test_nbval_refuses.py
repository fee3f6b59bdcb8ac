"""Notebooks that nbval would pass without comparing them are refused, each with its reason."""

from collections.abc import Callable
from typing import Any

import pytest

ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}


def cell(source: str, count: int | None, name: str, **more: Any) -> dict[str, Any]:
    fields = {"cell_type": "code", "execution_count": count, "id": name, "source": source}
    return {"outputs": [], "metadata": {}} | fields | more


def tagged(*tags: str) -> dict[str, Any]:
    return {"tags": list(tags)}


GOOD = [cell("x = 1", 1, "start"), cell("x = 2", 2, "go-on")]
REFUSED = {
    "unrun": (
        [GOOD[0], cell("x", None, "go-on")],
        "not run (execution_count null), so not compared: Cell 1 (go-on)",
    ),
    "order": ([GOOD[0], cell("x", 7, "go-on")], "has execution_count 7, not 2"),
    "empty": ([GOOD[0], cell(" ", 2, "go-on")], "Cell 1 (go-on) is empty: remove it"),
    "twice": ([GOOD[0], cell("x", 2, "start")], "the id start occurs twice"),
    "random": ([cell("x = 1", 1, "0a1b2c3d")], "has the random id 0a1b2c3d"),
    "lab_random": (
        [cell("x = 1", 1, "0a1b2c3d-1234-4abc-9def-0123456789ab")],
        "has the random id 0a1b2c3d-1234-4abc-9def-0123456789ab",
    ),
    "no_id": ([{k: v for k, v in GOOD[0].items() if k != "id"}], "position 0 has no id"),
    "skip_tag": (
        [cell("x = 1", 1, "start", metadata=tagged("nbval-skip"))],
        "no comment line `# exempt: …` says why",
    ),
    "ignore_tag": (
        [cell("x = 1", 1, "start", metadata=tagged("nbval-ignore-output"))],
        "no comment line `# exempt: …` says why",
    ),
    "ignore_comment": (
        [cell("# NBVAL_IGNORE_OUTPUT\nx = 1", 1, "start")],
        "no comment line `# exempt: …` says why",
    ),
    "no_reason": (
        [cell("# exempt:\n# NBVAL_SKIP\nx = 1", 1, "start")],
        "no comment line `# exempt: …` says why",
    ),
    "untagged": (
        [cell("raise ValueError('no')", 1, "start", outputs=[ERROR])],
        "ended in ValueError but has no tag raises-exception",
    ),
}
PASSED = {
    "good": GOOD,
    "exempt": [cell("# exempt: shows the time\n# NBVAL_IGNORE_OUTPUT\nx = 1", 1, "start")],
    "tagged": [
        cell("raise ValueError('no')", 1, "start", outputs=[ERROR])
        | {"metadata": tagged("raises-exception")}
    ],
}


@pytest.fixture(scope="module")
def outcomes(new_harness: Callable[[], Any]) -> dict[str, Any]:
    harness = new_harness()
    for name, cells in {**{k: v[0] for k, v in REFUSED.items()}, **PASSED}.items():
        harness.save(name, {"cells": cells, "metadata": {}})
    harness.save("old", {"cells": [], "metadata": {}, "nbformat_minor": 4})
    (harness.lessons / "torn.ipynb").write_text('{"cells": [')
    harness.write("needs", "import no_such_package", needs=["json", "no_such_package"])
    missing = harness.load("needs")
    missing["cells"][0] |= {"execution_count": 1, "id": "import-it"}
    harness.save("needs", missing)
    return harness.nbval("--continue-on-collection-errors")


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_reason(outcomes: dict[str, Any], name: str) -> None:
    assert outcomes[name].failed
    assert REFUSED[name][1] in outcomes[name].text
    assert f"{name}.ipynb: " in outcomes[name].text


@pytest.mark.parametrize("name", PASSED)
def test_not_refused(outcomes: dict[str, Any], name: str) -> None:
    assert not outcomes[name].failed, outcomes[name].text


def test_an_old_format_is_refused(outcomes: dict[str, Any]) -> None:
    assert "the format is older than 4.5" in outcomes["old"].text


def test_a_torn_file_is_refused(outcomes: dict[str, Any]) -> None:
    assert "torn.ipynb is not JSON" in outcomes["torn"].text


def test_a_lesson_without_its_package_is_skipped_and_says_how_to_get_it(
    outcomes: dict[str, Any],
) -> None:
    assert outcomes["needs"].skipped
    assert not outcomes["needs"].failed
    assert "needs.ipynb needs no_such_package: run `make torch`" in outcomes["needs"].text
