"""The page of a run, docs/benchmarks/README.md: every figure on it comes from results.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.figure import NAMES
from benchmarks.report import Row
from benchmarks.sizes import SIZES

INTRODUCTION = """\
# Benchmarks

How long the engines take beside PyTorch, onnxruntime and the limit of the machine's own matrix
products. `make bench` measures it all again and writes this page, the figure and
[every single time](results.json). [What was tried, and where the time goes](notes.md) says why
the figures are what they are."""

GROWTH = """\
## Growth and memory

`course_lib.fast_gpt` in {dtype}. *Each operation* is the time for one multiplication and addition,
as a multiple of the first row's: 1 or less means that the time grows no faster than the arithmetic.
Memory is what a first pass takes beside the weights; allowed is twice the logits and 64 MB.
"""

HOW = """\
## How it is measured

- Each contender lives in a process of its own, with the same random weights and the same number of
  threads. It is asked once a round, in turn with the others, so that whatever else the machine
  does falls on all alike. The first call of each is not counted.
- A time is the median of the rounds, with the middle half of them in brackets. A ratio is the
  median of the ratios of each round: compare ratios, and never times of different runs.
- *The limit* is the time that the matrix products would take alone. It counts what a pass
  multiplies and adds, with the half of the attention scores that a position may see, and divides
  by the rate of NumPy's own product of (1024, d) and (d, 4d), measured in each round.
- PyTorch is the twin of lesson 8 in eager mode, with `scaled_dot_product_attention` and without
  gradients; its generation keeps keys and values too. onnxruntime runs the graph that PyTorch
  exports for this shape; it is timed where it is installed, with `onnx` and `onnxscript`.
- `course_lib.fast_gpt` writes its logits over those of the call before (`out=`). *fast_gpt, new
  memory* takes new memory for each call, as PyTorch does.
- Memory is how far a first pass lifts the memory in use above what it was with the weights loaded.
- Where other programs use the cores, all times grow, and ratios move: threads that wait for one
  another by spinning, as those of BLAS and PyTorch do, lose most.

The engines are proved equal by tests: `tests/fast_gpt` holds the fast one to the readable one, and
`tests/test_gpt_against_torch.py` the readable one to PyTorch and Hugging Face's GPT-2.
"""


def page(result: dict[str, Any]) -> str:
    """Return the page in Markdown of what `python -m benchmarks` found."""
    size = SIZES[result["size"]]
    timed = [row for row in result["times"] if row["contender"] != "gemm"]
    forward, generate = (
        [row for row in timed if row["task"] == task] for task in ("forward", "generate")
    )
    parts = [
        [INTRODUCTION],
        list(machine(result)),
        ["## All logits of one text", "",
         f"V = {size.V:,}, d = {size.d}, {size.L} blocks, {size.h} heads, one text (B = 1).", "",
         f"![{result['figure']}](forward.png)", "", *forward_table(forward)],
        ["## One token after another", "", *generation_table(generate)],
    ]  # fmt: skip
    if result["aims"]:
        parts.append(["## Aims", "", *aims_table(result["aims"])])
    if result["growth"]:
        growth = GROWTH.format(dtype=result["times"][0]["dtype"])
        parts.append([growth, *growth_table(result["growth"])])
    return "\n\n".join("\n".join(part) for part in [*parts, [HOW]])


def machine(result: dict[str, Any]) -> Iterator[str]:
    """Yield what the run was made on."""
    found = result["machine"]
    versions = [f"{name} {number}" for name, number in found["packages"].items() if number]
    memory = f", {found['memory_gb']} GB" if found["memory_gb"] else ""
    yield (
        f"Measured on {result['date']}: {found['processor']}, {found['cores']} cores"
        f" ({found['instructions']}){memory}, {found['system']}, Python {found['python']}, "
        f"{', '.join(versions)}; {result['threads']} threads each, {result['rounds']} rounds."
    )


def lines(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield a Markdown table."""
    for cells in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cells)} |"


def forward_table(rows: list[Row]) -> Iterator[str]:
    """Yield seconds, the ratio to PyTorch and the share of the limit, by number type and length."""
    yield from lines(
        ["numbers", "T", "engine", "seconds", "of PyTorch's time", "share of the limit"],
        [
            [row["dtype"], str(row["T"]), NAMES[row["contender"]],
             f"{row['median']:.3f} ({row['spread'][0]:.3f} to {row['spread'][1]:.3f})",
             f"{row['to_torch']:.2f}" if "to_torch" in row else "",
             f"{row['of_limit']:.0%}" if "of_limit" in row else ""]
            for row in sorted(rows, key=lambda row: (row["dtype"], row["T"]))
        ],
    )  # fmt: skip


def generation_table(rows: list[Row]) -> Iterator[str]:
    """Yield tokens a second, and as a multiple of PyTorch's."""
    yield from lines(
        ["numbers", "engine", "task", "tokens a second", "of PyTorch's rate"],
        [
            [row["dtype"], NAMES[row["contender"]],
             f"{row['tokens']} tokens after {row['prompt']}, greedy",
             per_second(row["tokens"], row["median"], *row["spread"]),
             f"{1 / row['to_torch']:.2f}" if "to_torch" in row else ""]
            for row in rows
        ],
    )  # fmt: skip


def per_second(tokens: int, median: float, low: float, high: float) -> str:
    """Return the rate of the median time, and those of its spread."""
    return f"{tokens / median:.1f} ({tokens / high:.1f} to {tokens / low:.1f})"


def aims_table(found: list[Any]) -> Iterator[str]:
    """Yield what was aimed at, what came out, and whether that is enough."""
    yield from lines(
        ["aim", "bound", "found", "met"],
        [[words, bound, f"{got:.3f}", "yes" if met else "**no**"]
         for words, got, bound, met in found],
    )  # fmt: skip


def growth_table(rows: list[Row]) -> Iterator[str]:
    """Yield time and memory over lengths and batches."""
    yield from lines(
        ["B", "T", "seconds", "each operation", "memory beside the weights", "allowed"],
        [
            [str(row["B"]), str(row["T"]), f"{row['seconds']:.3f}", f"{row['relative']:.2f}",
             "" if row["bytes"] is None else f"{row['bytes'] / 2**20:.0f} MB",
             f"{row['bytes_allowed'] / 2**20:.0f} MB"]
            for row in rows
        ],
    )  # fmt: skip
