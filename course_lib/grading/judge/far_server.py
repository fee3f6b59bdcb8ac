"""The process whose children run students' code, as the judge sees it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_lib.grading.errors import JudgeError
from course_lib.grading.judge.packages import Readable, readable
from course_lib.grading.settings import Settings
from course_lib.grading.wall import ONE_THREAD, best_tier, outer_command

FORK_SERVER = Path(__file__).resolve().parents[1] / "contestant" / "fork_server.py"
READY_SECONDS = 60.0
HARD_FACTOR = 20  # the kernel's own limit on computing time, in multiples of one exercise's


@dataclass
class FarServer:
    """The process that forks the far side's children.

    settings: which packages and instruments it has; folder: where it finds data files.
    """

    settings: Settings
    folder: Path
    serial: int = 0
    visible: Readable = field(init=False)

    def __post_init__(self) -> None:
        self.visible = readable(self.settings.packages)
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        os.set_inheritable(there.fileno(), True)
        command = [
            sys.executable, "-I", "-S", "-B", str(FORK_SERVER), str(there.fileno())
        ]  # fmt: skip
        environment = {"LANG": "C.UTF-8", **ONE_THREAD}
        if not self.settings.unsafe:
            tier = best_tier()
            if not tier.ok:
                raise JudgeError(tier.explanation)
            seen = (*self.visible.paths, *self.visible.folders, str(self.folder))
            own = str(FORK_SERVER.parents[1])
            command, environment = outer_command(command, (*seen, own), (there.fileno(),))
        # Without namespaces matplotlib would leave a folder of its own if this process is killed.
        environment.setdefault("MPLCONFIGDIR", str(self.folder.parent / "matplotlib"))
        self.process = subprocess.Popen(
            command, env=environment, pass_fds=(there.fileno(),), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/",
        )  # fmt: skip
        there.close()
        self.control = here
        self.control.settimeout(READY_SECONDS)
        try:
            self.control.send(json.dumps(self._config()).encode())
            ready = self.control.recv(1000)
        except OSError:
            ready = b""
        if not ready:
            self.process.kill()
            _, said = self.process.communicate()
            text = said.decode(errors="replace").strip()[-1500:]
            raise JudgeError(f"the process for students' code did not start:\n{text}")

    def _config(self) -> dict[str, Any]:
        names = self.settings.packages
        limits = self.settings.limits
        policy = {
            "readable": [*self.visible.paths, str(self.folder)],
            "listable": list(self.visible.folders),
            "memory": limits.memory,
            "cpu_seconds": HARD_FACTOR * limits.cpu_seconds,
        }
        return {
            "policy": None if self.settings.unsafe else policy,
            "path": list(self.visible.search),
            "allowed": list(self.visible.names),
            "preload": list(names),
            "instruments": self.settings.instrument_texts(),
            "hint": f"Answers may use {_listed(names)}.",
        }

    def ask(self, request: Mapping[str, Any], descriptor: int | None = None) -> dict[str, Any]:
        """Send one request over the control socket and return the reply.

        Raises:
            JudgeError: the process is gone.
        """
        self.serial += 1
        serial = f"{os.getpid()}.{self.serial}"
        data = json.dumps({"serial": serial, **request}).encode()
        try:
            if descriptor is None:
                self.control.send(data)
            else:
                socket.send_fds(self.control, [data], [descriptor])
            while True:
                reply = json.loads(self.control.recv(2**16) or b"null")
                if reply is None:
                    raise JudgeError("the process for students' code has ended")
                if reply.pop("serial") == serial:  # else a reply that nobody fetched
                    return dict(reply)
        except OSError as error:
            raise JudgeError(f"the process for students' code has ended ({error})") from None

    def close(self) -> None:
        """End it."""
        self.control.close()
        self.process.kill()
        self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()


def _listed(names: tuple[str, ...]) -> str:
    *most, last = ["Python's own modules", *names]
    return f"{', '.join(most)} and {last}" if most else last
