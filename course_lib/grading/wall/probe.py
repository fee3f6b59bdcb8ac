"""A trial run of the wall: confine a child and try what it must not be able to do.

Started by `best_tier` as a program of its own, the way a fork server is; the last line it prints
is {"failure": what went wrong, "" if nothing}.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

# Alone, as in a fork server: not even the rest of the judge can be imported there.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wall.confinement import OUTER_VARIABLE, choose_uid, confine  # type: ignore[import-not-found]
from wall.policy import Policy, WallError  # type: ignore[import-not-found]


def _start_process() -> None:
    if os.fork() == 0:
        os._exit(0)


FORBIDDEN: dict[str, Callable[[], object]] = {
    "the root directory can be listed": lambda: list(Path("/").iterdir()),
    "this file can be read": lambda: Path(__file__).read_bytes(),
    "a file can be made": lambda: os.open("/tmp/wall-probe", os.O_CREAT | os.O_WRONLY),
    "a socket can be made": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "a process can be started": _start_process,
    "the parent can be signalled": lambda: os.kill(os.getppid(), 0),
}


def open_ways() -> list[str]:
    """Return what this process can do though a confined one must not."""
    found = []
    for name, attempt in FORBIDDEN.items():
        try:
            attempt()
        except OSError:
            continue
        found.append(name)
    return found


def trial() -> str:
    """Confine a child and return what went wrong in it."""
    if OUTER_VARIABLE in os.environ and os.getpid() != 1:
        return "the process is in no namespace of its own"
    needed = (str(Path(__file__).parent),)
    policy = Policy((), (), memory=2**28, cpu_seconds=5.0, drop_to=choose_uid(needed))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            confine(policy, keep=(writer,))
            failure = ", ".join(open_ways())
        except WallError as error:
            failure = str(error)
        os.write(writer, failure.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        failure = answer.read().decode()
    status = os.waitpid(child, 0)[1]
    return failure if status == 0 else f"the confined process ended with status {status}"


if __name__ == "__main__":
    print(json.dumps({"failure": trial()}))
