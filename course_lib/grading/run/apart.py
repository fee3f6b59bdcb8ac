"""Open students' files in a process of its own, with limits, so that none can hold up the grader.

    python -m course_lib.grading.run.apart

reads a pickled function and its arguments, and writes what it returns. Both ends are the grader's.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from course_lib.grading.submission.folder import TooMuch

Answer = TypeVar("Answer")
SECONDS = 20.0  # for all that one call opens
MEMORY = 2**30  # bytes of address space


def apart(function: Callable[..., Answer], *args: Any) -> Answer:
    """Return function(*args), run in another process with limits.

    Raises:
        TooMuch: it took more time or memory than one student's files may take.
    """
    command = [sys.executable, "-m", __spec__.name]
    try:
        done = subprocess.run(
            command,
            input=pickle.dumps((function, args)),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )
        answer: Answer = pickle.loads(done.stdout)
    except (subprocess.SubprocessError, pickle.UnpicklingError, EOFError) as error:
        raise TooMuch("to compare these files takes too much time or memory") from error
    return answer


def main() -> None:
    """Do what is asked on standard input."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS)))
    function, args = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(function(*args)))


if __name__ == "__main__":
    main()
