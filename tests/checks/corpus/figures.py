"""Measure the checks on a corpus and print its figures; the first's stand in docs/checks.md.

    python -m tests.checks.corpus.figures [--corpus NAME] [--missed] [--seed N] [--processes N]

Progress goes to stderr. With --missed every submission that is misjudged, and every wrong one
whose mistake is not named, is listed with what was said of it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from course_lib.checks.run_file import check_file
from tests.checks.corpus.headers import EXERCISES, FOLDER, read_header

CORPORA = {"first": FOLDER} | {
    name: FOLDER.with_name(f"corpus_{name}") for name in ("second", "third")
}

SEED = 77
PROCESSES = 2
GROUPS = ("gpt_logits", "tied_lm_loss_and_grad", "count_gpt2_params", "the rest")


@dataclass(frozen=True)
class Judged:
    """What the checks said of one submission; `named` is for wrong ones."""

    exercise: str
    file: str
    right: bool
    passed: bool
    named: bool
    said: str

    @property
    def missed(self) -> bool:
        """Whether the checks did not do what they should."""
        return self.right != self.passed or (not self.right and not self.named)


def judge(task: tuple[Path, int]) -> Judged:
    """Check one submission; its header says whether the mistake was named."""
    path, seed = task
    exercise, kind, file = path.parts[-3:]
    with contextlib.redirect_stdout(io.StringIO()):  # a submission may print
        report, _ = check_file(exercise, path, seed)
    texts = [f"{d['title']} {d['message']}" for d in report["diagnoses"]]
    right = kind == "right"
    named = not right and not report["passed"] and read_header(path).named_by(texts)
    titles = "; ".join(d["title"] for d in report["diagnoses"])
    return Judged(exercise, f"{kind}/{file}", right, report["passed"], named,
                  titles or report["error"] or "passed")  # fmt: skip


def measure(seed: int = SEED, processes: int = PROCESSES, folder: Path = FOLDER) -> list[Judged]:
    """Check a whole corpus, an exercise after the other, so that each process stays warm."""
    tasks = [(path, seed) for path in sorted(folder.glob("*/*/*.py"))]
    judged = []
    with ProcessPoolExecutor(processes) as pool:
        for one in pool.map(judge, tasks, chunksize=8):
            judged.append(one)
            print(f"\r{len(judged)}/{len(tasks)} {one.exercise:<24}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return judged


def group_of(exercise: str) -> str:
    """Return the group of the table that an exercise counts in."""
    return exercise if exercise in GROUPS else "the rest"


def table(judged: list[Judged]) -> str:
    """Return the figures as a Markdown table, a row a group and one for all."""
    lines = [
        "| exercise | right | accepted | wrong | rejected | named |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for group in (*GROUPS, "all"):
        n: Counter[str] = Counter()
        for one in judged:
            if group in (group_of(one.exercise), "all"):
                n["right"] += one.right
                n["accepted"] += one.right and one.passed
                n["wrong"] += not one.right
                n["rejected"] += not one.right and not one.passed
                n["named"] += one.named
        share = 100 * n["named"] / n["wrong"] if n["wrong"] else 0.0
        name = f"`{group}`" if group in EXERCISES else group
        lines.append(f"| {name} | {n['right']} | {n['accepted']} | {n['wrong']} | {n['rejected']} "
                     f"| {n['named']} ({share:.1f} %) |")  # fmt: skip
    return "\n".join(lines)


def main() -> int:
    """Print the table; exit status 1 if a right one is refused or a wrong one accepted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", choices=CORPORA, default="first")
    parser.add_argument("--missed", action="store_true", help="list what was not done right")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the inputs (default {SEED})")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    given = parser.parse_args()
    judged = measure(given.seed, given.processes, CORPORA[given.corpus])
    print(table(judged))
    for one in judged if given.missed else ():
        if one.missed:
            print(f"{one.exercise}/{one.file}: {one.said}")
    return int(any(one.right != one.passed for one in judged))


if __name__ == "__main__":
    sys.exit(main())
