"""Talk to a student's code across the wall, and stop it when it takes too much.

`FarSide` is one student's notebook, in a child of the `FarServer`. When a child has to be stopped,
a new one is started and the cells that ran before are run again, without the one that was to blame:
so one endless loop does not cost the other exercises.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.grading import wire
from course_lib.grading.errors import JudgeError
from course_lib.grading.judge.far_server import READY_SECONDS, FarServer
from course_lib.grading.settings import Limits

DISTURBED = "Your code disturbed Python itself, and was stopped."
NO_ANSWER = "The process that ran your code answered with what is no answer ({}), and was stopped."
UNSEEN = 0.02  # seconds of a child's time that may pass between two looks at its clock
LOOK_EVERY = 0.1  # seconds between two looks at a silent child's computing time


class Stopped(BaseException):
    """The student's code was stopped; not an Exception, so that no test catches it by chance.

    limit: which limit it hit, as in `CellScore.limit`; the text says so in a sentence.
    """

    def __init__(self, limit: str, text: str) -> None:
        super().__init__(text)
        self.limit = limit


class Misconfigured(BaseException):
    """The course's settings lack what a test asks for; no Exception, so that no test hides it."""


@dataclass
class Budget:
    """What is left for one exercise."""

    cpu: float
    wall: float
    used_wall: float = 0.0


class FarSide:
    """One student's notebook on the far side."""

    def __init__(self, server: FarServer, limits: Limits, folder: Path, seed: int) -> None:
        self.server = server
        self.limits = limits
        self.folder = folder
        self.seed = seed
        self.channel: socket.socket | None = None
        self.generation = 0  # of the child: references to objects of an earlier one are void
        self.tainted = False  # whether hidden inputs have been there
        self.ran: list[tuple[str, str]] = []  # cells to run again in a new child
        self.wall = ""
        self.on_rerun: Callable[[], None] = lambda: None  # told of each cell that runs again
        self.last_stop: Stopped | None = None
        self.cpu_before = 0.0  # of children that have ended
        self.cpu_seen = 0.0  # of the running child, at the last look
        self.unseen = 0.0  # seconds by the clock that it had since
        self.cpu_mark = 0.0  # where the clock stood when the exercise began
        self.budget = Budget(limits.cpu_seconds, limits.wall_seconds)

    def require_instrument(self, module: str) -> None:
        """Make sure that the far side has an instrument.

        Raises:
            Misconfigured: it has not.
        """
        known = [Path(path).stem for path in self.server.settings.instruments]
        if module not in known:
            raise Misconfigured(
                f"a test calls an answer through {module}.py, which is not among the instruments "
                f"({', '.join(known) or 'there are none'}): put the file's path into "
                "c.Judge.instruments in nbgrader_config.py, or into Settings(instruments=…)"
            )

    # ---------------------------------------------------------------- exercises and limits

    def new_exercise(self) -> None:
        """Give the next exercise a full budget."""
        self.budget = Budget(self.limits.cpu_seconds, self.limits.wall_seconds)
        self.mark()

    def mark(self) -> None:
        """Note where the child's clock stands."""
        self.cpu_mark = self.cpu()

    def cpu(self) -> float:
        """Return the computing time so far, in seconds; what the last instant took may be missing.

        A look costs both processes a switch, so there is none where little time has passed.
        """
        if self.channel is None:
            return self.cpu_before
        if self.unseen > UNSEEN:
            self.cpu_seen = float(self.server.ask({"do": "cpu"})["cpu"])
            self.unseen = 0.0
        return self.cpu_before + self.cpu_seen

    # ---------------------------------------------------------------- requests

    def run(self, cell: str, source: str, *, pictures: bool = True) -> dict[str, Any]:
        """Run a cell; return {"error": …, "outputs": …}.

        pictures: whether figures are drawn, which takes longer than all else in most cells.

        Raises:
            Stopped: it hit a limit. The next request finds a new child without this cell.
        """
        reply = self.ask(self._run_request(cell, source, pictures))
        self.ran.append((cell, source))
        return reply

    def _run_request(self, cell: str, source: str, pictures: bool) -> dict[str, Any]:
        limit = self.limits.output
        return {"do": "run", "cell": cell, "source": source, "limit": limit, "pictures": pictures}

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the child and return its reply, within the exercise's budget.

        Raises:
            Stopped: a limit was hit; the child is gone.
            wire.NotPlain: the request holds something that cannot cross.
        """
        message = wire.encode(request)
        if self.channel is None:
            self._start()
        started = time.monotonic()
        try:
            return self._exchange(message)
        finally:
            spent = time.monotonic() - started
            self.budget.used_wall += spent
            self.unseen += spent

    def close(self, grace: float = 0.0) -> dict[str, Any]:
        """End the child; return what it used.

        grace: seconds to wait for it to end by itself, so that the reason can be told.
        """
        if self.channel is None:
            return {}
        self.channel.close()
        self.channel = None
        used = self.server.ask({"do": "end", "grace": grace})
        self.cpu_before += float(used.get("cpu", 0.0))
        self.cpu_seen = self.unseen = 0.0
        return used

    # ---------------------------------------------------------------- a child

    def _start(self) -> None:
        """Start a child and run again what ran before."""
        here, there = socket.socketpair()
        try:
            self.channel = here
            self.generation += 1
            reply = self.server.ask(
                {
                    "do": "start",
                    "folder": str(self.folder),
                    "limit": self.limits.result,
                },
                there.fileno(),
            )
        finally:
            there.close()
        if "error" in reply:
            raise JudgeError(reply["error"])
        hello = self._receive(time.monotonic() + READY_SECONDS)
        if not isinstance(hello, dict) or "wall" not in hello:
            raise JudgeError(f"the wall could not be built: {hello}")
        self.wall = str(hello["wall"])
        self._exchange(wire.encode({"do": "seed", "seed": self.seed}))
        budget = self.budget
        for cell, source in tuple(self.ran):  # each with a budget of its own, as the first time
            self.new_exercise()
            self.on_rerun()
            try:
                self._exchange(wire.encode(self._run_request(cell, source, False)))
            except Stopped:
                self.ran.remove((cell, source))
                raise
        if self.ran:  # what is run again is not this exercise's time
            self.on_rerun()
            self.budget, self.unseen = budget, READY_SECONDS
            self.mark()

    def _exchange(self, message: bytes) -> dict[str, Any]:
        assert self.channel is not None
        deadline = time.monotonic() + max(0.0, self.budget.wall - self.budget.used_wall)
        self._send(message, deadline)
        reply = self._receive(deadline)
        if not isinstance(reply, dict):
            raise self.no_answer("no record with names")
        if "broken" in reply:
            raise self.stop("crash", DISTURBED)
        return reply

    def _send(self, message: bytes, deadline: float) -> None:
        assert self.channel is not None
        self.channel.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            self.channel.sendall(message)
        except TimeoutError:
            raise self._out_of_time() from None
        except OSError:
            raise self._died() from None

    def _receive(self, deadline: float) -> Any:
        start = self._exactly(wire.FRAME.size, deadline)
        try:
            size = wire.frame_size(start, self.limits.result + wire.MAX_HEAD)
            return wire.decode(start + self._exactly(size, deadline))
        except wire.BadMessage as error:
            raise self.no_answer(str(error)) from None
        except MemoryError:
            raise self.stop("result size", "Your code returned something too large.") from None

    def _exactly(self, size: int, deadline: float) -> bytes:
        assert self.channel is not None
        data = bytearray()
        self.channel.setblocking(False)
        while len(data) < size:
            now = time.monotonic()
            if now > deadline:
                raise self._out_of_time()
            ready, _, _ = select.select([self.channel], [], [], min(LOOK_EVERY, deadline - now))
            if not ready:
                self._look_at_cpu()
                continue
            try:
                part = self.channel.recv(min(size - len(data), 2**20))
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                raise self._died()
            data += part
        return bytes(data)

    # ---------------------------------------------------------------- what went wrong

    def _look_at_cpu(self) -> None:
        self.unseen += LOOK_EVERY
        used = self.cpu() - self.cpu_mark
        if used > self.budget.cpu:
            raise self.stop(
                "cpu time",
                f"Your code was still computing after {self.budget.cpu:g} s and was stopped.",
            )

    def _out_of_time(self) -> Stopped:
        return self.stop(
            "wall time", f"Your code took more than {self.budget.wall:g} s and was stopped."
        )

    def _died(self) -> Stopped:
        used = self.close(grace=0.5)
        self.last_stop = _death(int(used.get("status", 0)), bool(used.get("killed")))
        return self.last_stop

    def no_answer(self, why: str) -> Stopped:
        """End the child because of what it answered, and return what to raise."""
        return self.stop("crash", NO_ANSWER.format(why))

    def stop(self, limit: str, text: str) -> Stopped:
        """End the child, and return what to raise; `last_stop` keeps it."""
        self.close()
        self.last_stop = Stopped(limit, text)
        return self.last_stop


def _death(status: int, killed: bool) -> Stopped:
    """Say what a child died of."""
    if killed:
        return Stopped("crash", "Your code closed its connection and was stopped.")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return Stopped("cpu time", "Your code was computing for too long and was stopped.")
        if number == signal.SIGKILL:
            return Stopped("memory", "Your code was stopped by the system, most likely for memory.")
        with contextlib.suppress(ValueError):
            name = signal.Signals(number).name
            return Stopped("crash", f"Your code made Python crash ({name}).")
        return Stopped("crash", "Your code made Python crash.")
    return Stopped("crash", "Your code ended Python.")
