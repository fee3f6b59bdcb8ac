"""What the docs and the README say of the benchmark is what its committed results hold."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.page import page
from benchmarks.report import aims, summarise

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "benchmarks"


@pytest.fixture(scope="module")
def result():
    return json.loads((FOLDER / "results.json").read_text("utf-8"))


def test_the_page_is_that_of_the_results(result):
    assert (FOLDER / "README.md").read_text("utf-8") == page(result)


def test_medians_ratios_and_aims_are_those_of_the_single_times(result):
    timed = [{k: v for k, v in row.items() if k not in ("median", "spread", "to_torch", "limit",
                                                        "of_limit")}
             for row in result["times"]]  # fmt: skip
    rows = summarise(timed, result["size"])
    assert rows == result["times"]
    assert [[w, round(got, 3), bound, ok] for w, got, bound, ok in aims(rows)] == result["aims"]


def test_the_run_is_whole(result):
    assert result["size"] == "gpt2"
    assert result["rounds"] >= 5
    assert {row["contender"] for row in result["times"]} >= {"fast", "readable", "torch", "gemm",
                                                             "onnxruntime"}  # fmt: skip
    assert len(result["aims"]) == 8
    grown = {(row["B"], row["T"]) for row in result["growth"]}
    assert {(1, 64), (1, 1024), (16, 128)} <= grown


def test_the_readme_quotes_the_results(result):
    readme = (ROOT / "README.md").read_text("utf-8")
    found = re.search(
        r"in (0\.\d\d) of PyTorch's time and makes\s+(\d\.\d) times its tokens", readme
    )
    assert found is not None
    got = {words: value for words, value, *_ in result["aims"]}
    assert float(found[1]) == round(got["float32 T=1024, time over PyTorch's"], 2)
    assert float(found[2]) == round(got["generation, tokens/s over PyTorch's"], 1)
