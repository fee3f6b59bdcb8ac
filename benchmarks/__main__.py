"""Time the engines and write what came out: `make bench`, `make bench ARGS="--quick"`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.contenders import CONTENDERS
from benchmarks.machine import cores, describe_machine
from benchmarks.report import aims, growth, memory_bound, summarise, table
from benchmarks.rounds import Task, peak_memory, timed_rounds
from benchmarks.sizes import SIZES

OUT = Path(__file__).parents[1] / "docs" / "benchmarks"


def main() -> int:
    """Run everything; return 1 if --check was given and an aim is missed."""
    if sys.argv[1:2] == ["judge"]:
        from benchmarks.judge.__main__ import main as time_the_judge

        return time_the_judge(sys.argv[2:])
    options = arguments()
    if options.redraw:
        write(json.loads((options.out / "results.json").read_text("utf-8")), options.out)
        return 0
    size, threads, rounds = options.size, options.threads, options.rounds
    machine = describe_machine()
    print(f"{machine['processor']}, {machine['cores']} cores, load {machine['busy_before']}")
    names = []
    for name in options.contenders:
        missing = CONTENDERS[name].missing()
        if missing:
            print(f"{name} is left out: {', '.join(missing)} not installed")
        else:
            names.append(name)
    print("fast writes its logits over those of the call before (out=), fast-new does not\n")

    rows: list[dict[str, Any]] = []
    for dtype in options.dtypes:
        tasks: list[Task] = [("forward", {"B": 1, "T": T}) for T in options.lengths]
        these = [name for name in names if dtype in CONTENDERS[name].dtypes]
        rows += timed_rounds(these, size, dtype, threads, tasks, rounds, tell)
        able = [name for name in these if name in ("fast", "torch")]
        tasks = [("generate", {"prompt": options.prompt, "tokens": options.tokens})]
        rows += timed_rounds(able, size, dtype, threads, tasks, rounds, tell)
    rows = summarise(rows, size)
    print("\n".join(table(rows)))

    found = aims(rows) if size == "gpt2" else ()
    met = [(words, round(got, 3), bound, ok) for words, got, bound, ok in found]
    for words, got, bound, ok in met:
        print(f"{'ok    ' if ok else 'missed'} {words}: {got:.2f} ({bound})")

    shapes = [(1, T) for T in options.growth] + [(B, 128) for B in options.batches]
    grown = growth_and_memory(options, shapes)
    result = {
        "size": size, "threads": threads, "rounds": rounds,
        "machine": {**machine, "busy_after": describe_machine()["busy_before"]},
        "times": rows, "aims": met, "growth": grown,
    }  # fmt: skip
    if options.out:
        write(result, options.out)
    return int(options.check and not all(ok for *_, ok in met))


def growth_and_memory(options: argparse.Namespace, shapes: list[tuple[int, int]]) -> list[Any]:
    """Time the fast engine alone over lengths and batches, and measure its memory."""
    if not shapes:
        return []
    dtype = options.dtypes[0]
    tasks: list[Task] = [("forward", {"B": B, "T": T}) for B, T in shapes]
    common = (options.size, dtype, options.threads)
    rows = summarise(timed_rounds(["fast"], *common, tasks, max(3, options.rounds // 3), tell),
                     options.size)  # fmt: skip
    grown = []
    print(f"\n{dtype}: time for one operation relative to the first row; memory beside the weights")
    for B, T, seconds, ratio in growth(rows, options.size):
        tell(f"memory B={B} T={T}")
        peak = peak_memory("fast", *common, B, T)
        bound = memory_bound(options.size, dtype, B, T)
        used = "" if peak is None else f"{peak / 2**20:7.0f} MB of {bound / 2**20:.0f}"
        print(f"B={B:<3d} T={T:<5d} {seconds:8.3f} s {ratio:6.2f}x {used}")
        grown.append({"B": B, "T": T, "seconds": seconds, "relative": ratio,
                      "bytes": peak, "bytes_allowed": bound})  # fmt: skip
    return grown


def tell(words: str) -> None:
    """Show what is being done, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def write(result: dict[str, Any], folder: Path) -> None:
    """Write results.json, forward.png and the page that shows both, README.md."""
    from benchmarks.figure import bars
    from benchmarks.page import page

    folder.mkdir(parents=True, exist_ok=True)
    picture = bars(result["times"], result["machine"])
    result = {"date": time.strftime("%Y-%m-%d"), **result, "figure": picture.alt}
    (folder / "forward.png").write_bytes(picture.png)
    (folder / "README.md").write_text(page(result), "utf-8")
    (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(f"written to {folder}: README.md, forward.png, results.json")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="gpt2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=cores())
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"])
    parser.add_argument("--lengths", nargs="+", type=int, default=[128, 1024])
    parser.add_argument("--growth", nargs="*", type=int, default=[64, 128, 256, 512, 1024])
    parser.add_argument("--batches", nargs="*", type=int, default=[2, 4, 8, 16])
    parser.add_argument("--prompt", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--out", type=Path, help="where to write (default docs/benchmarks)")
    parser.add_argument("--check", action="store_true", help="exit 1 if an aim is missed")
    parser.add_argument("--redraw", action="store_true", help="figure and page again, no timing")
    parser.add_argument("--quick", action="store_true", help="a tiny model, 3 rounds, no files")
    if "--quick" in sys.argv:
        parser.set_defaults(size="tiny", rounds=3, tokens=16, growth=[64, 128], batches=[2])
    options = parser.parse_args()
    if options.out is None and not options.quick:
        options.out = OUT
    return options


if __name__ == "__main__":
    sys.exit(main())
