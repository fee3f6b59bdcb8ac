"""Medians, spreads and ratios of the times, as a table; and which aims are met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Any

import numpy as np

from benchmarks.sizes import SIZES

Row = dict[str, Any]


def summarise(rows: Sequence[Row], size: str) -> list[Row]:
    """Add to each row its median, its spread, and its ratio to PyTorch and to the limit.

    Ratios are medians of the ratios of each round, for what slows one round slows all in it.
    """
    found = []
    for row in rows:
        seconds = row["seconds"]
        low, _, high = quantiles(seconds, n=4) if len(seconds) > 1 else seconds * 3
        summary = {**row, "median": median(seconds), "spread": [low, high]}
        torch = find(rows, row, "torch")
        if torch:
            ratios = [a / b for a, b in zip(seconds, torch["seconds"], strict=True)]
            summary["to_torch"] = median(ratios)
        limit = find(rows, row, "gemm")
        if limit and row["task"] == "forward":
            flops = SIZES[size].forward_flops(row["B"], row["T"])
            least = [flops / rate for rate in limit["rates"]]
            summary["limit"] = median(least)
            summary["of_limit"] = median([a / b for a, b in zip(least, seconds, strict=True)])
        found.append(summary)
    return found


def find(rows: Sequence[Row], like: Row, contender: str) -> Row | None:
    """Return the row of another contender for the same task."""
    same = ("dtype", "task", "B", "T", "prompt", "tokens")
    return next(
        (r for r in rows if r["contender"] == contender
         and all(r.get(key) == like.get(key) for key in same)),
        None,
    )  # fmt: skip


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table of all timed rows but the limit's own."""
    heads = f"{'median':>9s} {'middle half':>18s} {'PyTorch':>9s} {'limit':>6s}"
    yield f"{'':21s} {'task':20s} {heads}"
    for row in rows:
        if row["contender"] == "gemm":
            continue
        low, high = row["spread"]
        if row["task"] == "forward":
            task = f"forward B={row['B']} T={row['T']}"
            times = f"{row['median']:8.3f}s {low:7.3f} - {high:.3f}s"
        else:
            task = f"{row['tokens']} tokens after {row['prompt']}"
            n = row["tokens"]
            times = f"{n / row['median']:7.1f}/s {n / high:7.1f} - {n / low:.1f}/s"
        torch = f"{row['to_torch']:.2f}x" if "to_torch" in row else ""
        limit = f"{row['of_limit']:.0%}" if "of_limit" in row else ""
        what = f"{row['contender']:12s} {row['dtype']:8s} {task:20s}"
        yield f"{what} {times:28s} {torch:>9s} {limit:>6s}"


def aims(rows: Sequence[Row]) -> Iterator[tuple[str, float, str, bool]]:
    """Yield what was aimed at: words, the number found, the bound, and whether it is met."""
    fast = {
        (row["dtype"], row["task"], row.get("T")): row
        for row in rows
        if row["contender"] == "fast" and row.get("B", 1) == 1
    }

    def at_most(words: str, got: float, bound: float) -> tuple[str, float, str, bool]:
        return words, got, f"at most {bound:.2f}", got <= bound

    def at_least(words: str, got: float, bound: float) -> tuple[str, float, str, bool]:
        return words, got, f"at least {bound:.2f}", got >= bound

    for dtype, T, bound in (("float32", 128, 0.70), ("float32", 1024, 0.80),
                            ("float64", 128, 1.0), ("float64", 1024, 1.0)):  # fmt: skip
        row = fast.get((dtype, "forward", T))
        if row and "to_torch" in row:
            yield at_most(f"{dtype} T={T}, time over PyTorch's", row["to_torch"], bound)
    for dtype in ("float32", "float64"):
        row = fast.get((dtype, "forward", 1024))
        if row and "of_limit" in row:
            yield at_least(f"{dtype} T=1024, share of the limit", row["of_limit"], 0.70)
    row = fast.get(("float32", "forward", 1024))
    other = find(rows, row, "onnxruntime") if row else None
    if row and other:
        ratio = median(a / b for a, b in zip(row["seconds"], other["seconds"], strict=True))
        yield at_most("float32 T=1024, time over onnxruntime's", ratio, 1.0)
    row = fast.get(("float32", "generate", None))
    if row and "to_torch" in row:
        yield at_least("generation, tokens/s over PyTorch's", 1 / row["to_torch"], 1.7)


def growth(rows: Sequence[Row], size: str) -> Iterator[tuple[int, int, float, float]]:
    """Yield B, T, seconds, and the time for one operation relative to the first row's."""
    first = None
    for row in rows:
        if row["contender"] != "fast" or row["task"] != "forward":
            continue
        each = row["median"] / SIZES[size].forward_flops(row["B"], row["T"])
        first = first or each
        yield row["B"], row["T"], row["median"], each / first


def memory_bound(size: str, dtype: str, B: int, T: int) -> int:
    """Return the aim for memory beside the weights: twice the logits and 64 MB."""
    return 2 * B * T * SIZES[size].V * np.dtype(dtype).itemsize + 64 * 2**20
