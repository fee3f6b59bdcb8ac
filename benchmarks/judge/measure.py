"""Run a command, and count what it and all its processes took."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY = 0.5  # seconds between two looks at the memory


class Failed(RuntimeError):
    """The command did not do what it should; the text holds what it said."""


@dataclass(frozen=True)
class Used:
    """Seconds by the clock; of computing, all processes; bytes of memory at the highest.

    memory: of all processes together, memory that several share counted once; grader: of the
    process of the command itself.
    """

    seconds: float
    cpu: float
    memory: int
    grader: int


def measure(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], fine: Sequence[int] = (0,)
) -> Used:
    """Run a command to its end; Linux only.

    What its processes leave behind is waited for here, so that none escapes the count.

    Raises:
        Failed: its exit status is not among the `fine` ones.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _cpu()
    started = time.perf_counter()
    log = folder / "bench.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=dict(environment), stdout=file, stderr=subprocess.STDOUT
        )
        watch = _Watch(process.pid)
        status = process.wait()
        seconds = time.perf_counter() - started
        watch.stop()
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    if status not in fine:
        raise Failed(f"{' '.join(command)} ended with {status}:\n{log.read_text()[-3000:]}")
    return Used(seconds, _cpu() - before, watch.highest, watch.root)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Watch:
    """A thread that looks at the memory of a process and of all below it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.highest = self.root = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(LOOK_EVERY):
            self.root = max(self.root, _kilobytes(self.pid, "status", "VmHWM:") * 1024)
            pids = _descendants(self.pid)
            total = sum(_kilobytes(pid, "smaps_rollup", "Pss:") for pid in pids)
            self.highest = max(self.highest, total * 1024)


def _descendants(pid: int) -> list[int]:
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            below.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += below.get(found[-1], [])
    return found


def _kilobytes(pid: int, file: str, field: str) -> int:
    try:
        text = Path(f"/proc/{pid}/{file}").read_text()
    except OSError:  # it has ended, or hides
        return 0
    line = next((line for line in text.splitlines() if line.startswith(field)), "x 0")
    return int(line.split()[1])
