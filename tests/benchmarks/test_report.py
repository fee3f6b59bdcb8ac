"""The benchmark's arithmetic, and one run of it on a tiny model."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.machine import contender_environment, describe_machine
from benchmarks.report import aims, growth, memory_bound, summarise, table
from benchmarks.sizes import SIZES
from course_lib.counting import MODELS
from course_lib.counting.flops import forward_flops

ROOT = Path(__file__).resolve().parents[2]


def row(contender, seconds, task="forward", dtype="float32", **arguments):
    arguments = arguments or {"B": 1, "T": 1024}
    return {"contender": contender, "dtype": dtype, "task": task, **arguments, "seconds": seconds}


def gemm(seconds, share=0.5, T=1024):
    """A limit that takes `share` of these seconds."""
    flops = SIZES["gpt2"].forward_flops(1, T)
    limit = row("gemm", seconds, B=1, T=T)
    return {**limit, "rates": [flops / (share * s) for s in seconds]}


def test_ratios_are_taken_round_by_round():
    # the machine was ten times slower in the last round, for all alike
    rows = [row("fast", [1.0, 1.0, 10.0]), row("torch", [2.0, 2.0, 20.0]), gemm([1.0, 1.0, 10.0])]
    fast = summarise(rows, "gpt2")[0]
    assert fast["median"] == 1.0
    assert fast["to_torch"] == 0.5
    assert fast["of_limit"] == pytest.approx(0.5)


def test_the_aims_are_those_of_the_project():
    rows = [
        row("fast", [0.7], B=1, T=128), row("torch", [1.0], B=1, T=128), gemm([0.7], 0.9, T=128),
        row("fast", [0.9]), row("torch", [1.0]), row("onnxruntime", [1.0]), gemm([0.9], 0.69),
        row("fast", [1.0], task="generate", prompt=32, tokens=128),
        row("torch", [1.8], task="generate", prompt=32, tokens=128),
    ]  # fmt: skip
    found = {words: (got, ok) for words, got, _, ok in aims(summarise(rows, "gpt2"))}
    assert found == {
        "float32 T=128, time over PyTorch's": (0.7, True),
        "float32 T=1024, time over PyTorch's": (0.9, False),
        "float32 T=1024, share of the limit": (pytest.approx(0.69), False),
        "float32 T=1024, time over onnxruntime's": (0.9, True),
        "generation, tokens/s over PyTorch's": (pytest.approx(1.8), True),
    }


def test_flops_are_those_of_the_lessons_but_for_the_scores_that_no_one_sees():
    size = SIZES["gpt2"]
    whole = forward_flops(MODELS["gpt2"], 1024) * 1024
    masked = 4 * size.L * size.d * 1024 * 1023 // 2
    assert size.forward_flops(1, 1024) == pytest.approx(whole - masked, rel=1e-6)
    assert size.forward_flops(3, 7) == 3 * size.forward_flops(1, 7)


def test_growth_is_time_for_one_operation_relative_to_the_first():
    size = SIZES["gpt2"]
    rows = [
        {**row("fast", [], B=B, T=T), "median": 2.0 * size.forward_flops(B, T) * factor}
        for B, T, factor in ((1, 64, 1), (1, 1024, 0.8), (16, 128, 1.5))
    ]
    assert [(B, T, pytest.approx(r)) for B, T, _, r in growth(rows, "gpt2")] == [
        (1, 64, 1.0), (1, 1024, 0.8), (16, 128, 1.5),
    ]  # fmt: skip


def test_the_memory_aim_is_twice_the_logits_and_64_mb():
    assert memory_bound("gpt2", "float32", 1, 1024) == 2 * 1024 * 50_257 * 4 + 64 * 1024**2


def test_contenders_choose_their_own_kernels(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    environment = contender_environment(3)
    assert not {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"} & set(environment)
    assert environment["OPENBLAS_NUM_THREADS"] == "3"
    assert os.environ["OPENBLAS_CORETYPE"] == "Haswell"


def test_the_machine_is_described_without_its_name():
    described = json.dumps(describe_machine())
    assert "cores" in described
    assert len(platform.node()) < 4 or platform.node() not in described


def test_the_table_has_a_line_for_each_timed_row():
    rows = [row("fast", [1.0, 3.0, 2.0]), row("torch", [2.0, 2.0, 2.0]), gemm([1.0, 1.0, 1.0])]
    lines = list(table(summarise(rows, "gpt2")))
    assert len(lines) == 3  # the heading, and no line for the limit itself
    assert "2.000s" in lines[1]
    assert "1.00x" in lines[1]


@pytest.mark.timeout(120)
def test_a_run_on_a_tiny_model_writes_its_results(tmp_path):
    pytest.importorskip("matplotlib")
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--dtypes", "float32", "--lengths", "16",
         "--growth", "8", "16", "--batches", "2", "--contenders", "fast", "readable", "gemm",
         "--out", str(tmp_path)],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert "fast" in run.stdout
    result = json.loads((tmp_path / "results.json").read_text())
    assert {r["contender"] for r in result["times"]} == {"fast", "readable", "gemm"}
    assert all(len(r["seconds"]) == 3 for r in result["times"])
    assert [(g["B"], g["T"]) for g in result["growth"]] == [(1, 8), (1, 16), (2, 128)]
    assert (tmp_path / "forward.png").read_bytes().startswith(b"\x89PNG")
    assert "matrix products alone" in result["figure"]
    text = (tmp_path / "README.md").read_text()
    assert "| float32 | 16 | course_lib.fast_gpt |" in text
    assert f"![{result['figure']}](forward.png)" in text
    assert "## Aims" not in text  # they are for GPT-2 small

    (tmp_path / "README.md").unlink()
    subprocess.run(
        [sys.executable, "-m", "benchmarks", "--redraw", "--out", str(tmp_path)],
        capture_output=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert (tmp_path / "README.md").read_text() == text
    assert json.loads((tmp_path / "results.json").read_text()) == result
