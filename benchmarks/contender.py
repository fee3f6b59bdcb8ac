"""One contender's process: `python -m benchmarks.contender NAME SIZE DTYPE THREADS`.

Reads one JSON object a line, runs what it asks, answers with one line. It sleeps in between.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contenders import CONTENDERS
from benchmarks.sizes import SIZES


def main() -> None:
    """Serve requests until stdin ends."""
    name, size, dtype, threads = sys.argv[1:]
    answers = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    contender = CONTENDERS[name](SIZES[size], dtype, int(threads))
    ready: dict[str, Callable[[], Any]] = {}
    print(json.dumps({"ready": name}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        task, arguments = request["task"], request["arguments"]
        if line not in ready:
            ready[line] = getattr(contender, task)(**arguments)
            if request.get("memory"):
                used = {"bytes": peak_bytes(ready.pop(line))}
                print(json.dumps(used), file=answers, flush=True)
                continue
            ready[line]()  # the first call finds memory and fills caches
        start = time.perf_counter()
        result = ready[line]()
        seconds = time.perf_counter() - start
        answer = {"seconds": seconds}
        if name == "gemm":
            answer["rate"] = result
        print(json.dumps(answer), file=answers, flush=True)


def peak_bytes(call: Callable[[], Any]) -> int | None:
    """Return by how much a first call lifts the memory in use, at its highest; Linux only."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not (status.exists() and reset.exists()):
        return None

    def kilobytes(field: str) -> int:
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))

    gc.collect()
    reset.write_text("5")  # 5: forget the highest value so far
    before = kilobytes("VmRSS")
    call()
    return 1024 * (kilobytes("VmHWM") - before)


if __name__ == "__main__":
    main()
