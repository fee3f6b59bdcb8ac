"""Ask the contenders in turn, and keep every time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.machine import contender_environment

PAUSE = 0.1  # seconds for the threads of the last one to fall asleep


class Process:
    """A contender in its own process."""

    def __init__(self, name: str, size: str, dtype: str, threads: int) -> None:
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.contender",
             name, size, dtype, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=contender_environment(threads),
        )  # fmt: skip
        self._answer()

    def ask(self, task: str, arguments: dict[str, int], memory: bool = False) -> dict[str, Any]:
        """Run a task once; return what the process answers."""
        assert self.process.stdin is not None
        request = {"task": task, "arguments": arguments, "memory": memory}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise RuntimeError(f"{self.name} stopped:\n{self.process.stderr.read()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


Task = tuple[str, dict[str, int]]


def timed_rounds(
    names: Sequence[str],
    size: str,
    dtype: str,
    threads: int,
    tasks: Sequence[Task],
    rounds: int,
    tell: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Run each task of each contender once a round; return one row for each task and contender.

    A row holds "contender", "dtype", "task", its arguments, "seconds" and for the limit "rates".
    """
    rows: dict[tuple[str, int], dict[str, Any]] = {
        (name, i): {"contender": name, "dtype": dtype, "task": task, **arguments, "seconds": []}
        for name in names
        for i, (task, arguments) in enumerate(tasks)
    }
    with ExitStack() as stack:
        running = [stack.enter_context(Process(name, size, dtype, threads)) for name in names]
        for number in range(rounds):
            for i, (task, arguments) in enumerate(tasks):
                tell(f"{dtype}, round {number + 1} of {rounds}: {task} {arguments}")
                for process in running:
                    answer = process.ask(task, arguments)
                    row = rows[process.name, i]
                    row["seconds"].append(answer["seconds"])
                    if "rate" in answer:
                        row.setdefault("rates", []).append(answer["rate"])
                    time.sleep(PAUSE)
    return list(rows.values())


def peak_memory(name: str, size: str, dtype: str, threads: int, B: int, T: int) -> int | None:
    """Return the bytes that a first forward pass needs beside the weights, in a fresh process."""
    with Process(name, size, dtype, threads) as process:
        answer = process.ask("forward", {"B": B, "T": T}, memory=True)
    return None if answer["bytes"] is None else int(answer["bytes"])
