"""The clean process whose children run students' code.

Started by exec, never forked from the grader, whose memory holds the answers:

    python -I -S fork_server.py CONTROL_FD

It imports once what every notebook needs (NumPy with its lazy parts, IPython, pyplot, the packages
of the course), then forks a child for every notebook. Over the control socket come its settings,
and then requests:

    {"do": "start", "folder": …, "limit": …} + a file descriptor for the child → {"pid": …}
    {"do": "cpu"} → {"cpu": seconds of the running child}
    {"do": "end"} → {"status": wait status, "cpu": seconds, "memory": bytes}: kills the child
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

GRADING = Path(__file__).resolve().parents[1]
LAZY = (
    "numpy.fft", "numpy.random", "numpy.ma", "numpy.polynomial", "numpy.testing", "numpy.linalg",
    "collections", "dataclasses", "functools", "itertools", "json", "math", "random", "re",
    "statistics", "string", "typing", "timeit", "IPython.display", "asyncio",
)  # fmt: skip
CONTROL_SIZE = 2**20


def load_own_parts() -> None:
    """Make `course_lib.grading` importable without running `course_lib/__init__.py`."""
    for name, folder in (("course_lib", GRADING.parent), ("course_lib.grading", GRADING)):
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module


class OnlyAllowed(importlib.abc.MetaPathFinder):
    """Tell a student in plain words what cannot be imported; the wall is what forbids it."""

    def __init__(self, allowed: Sequence[str], hint: str) -> None:
        self.allowed = tuple(allowed)
        self.hint = hint

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise for a module that is not among the allowed ones; find nothing otherwise."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or any(
            name == one or name.startswith(one + ".") or one.startswith(name + ".")
            for one in self.allowed
        ):
            return
        if self.is_local(top):
            return
        raise ModuleNotFoundError(
            f"{name} cannot be imported where answers are graded. {self.hint}", name=name
        )

    @staticmethod
    def is_local(name: str) -> bool:
        """Say whether the assignment's own folder has such a module."""
        return Path(f"{name}.py").is_file() or Path(name).is_dir()


class ForkServer:
    """The loop of requests; one child at a time."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        self.control = control
        self.config = config
        self.child = 0
        self.last: dict[str, Any] = {}

    def prepare(self) -> None:
        """Import everything once."""
        import course_lib.grading.contestant.answering
        import course_lib.grading.wire  # noqa: F401 - children need both
        from course_lib.grading.shell import Shell

        for name in (*LAZY, *self.config["preload"]):
            if name.endswith("__init__"):
                continue
            try:
                importlib.import_module(name)
            except ImportError:
                continue  # a student who imports it gets the error
        self.shell = Shell.make()
        self.instruments = {
            name: _module(name, text) for name, text in self.config["instruments"].items()
        }
        hint = self.config["hint"]
        self.finder = OnlyAllowed(self.config["allowed"], hint)
        self.policy = self._policy()
        sys.path.insert(0, "")  # the assignment's own folder
        gc.collect()
        gc.freeze()

    def _policy(self) -> Any:
        """Return what children may do; None if there is to be no wall."""
        from course_lib.grading.wall import Policy, choose_uid, prepare

        told = self.config["policy"]
        if told is None:
            return None
        paths = {key: tuple(told[key]) for key in ("readable", "listable")}
        uid = choose_uid(paths["readable"])
        policy = Policy(**{**told, **paths, "drop_to": uid})
        prepare(policy)
        return policy

    def serve(self) -> None:
        """Answer until the judge is gone."""
        self.control.send(b'{"ready": true}')
        while True:
            data, descriptors, _, _ = socket.recv_fds(self.control, CONTROL_SIZE, 1)
            if not data:
                self.end()
                return
            request = json.loads(data)
            reply = getattr(self, "do_" + request["do"])(request, descriptors)
            self.control.send(json.dumps({"serial": request["serial"], **reply}).encode())

    def do_start(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Fork a child that talks over the descriptor."""
        self.end()
        try:
            pid = os.fork()
        except OSError as error:
            return {"error": f"no new process: {error.strerror}"}
        finally:
            if self.child:
                os.close(descriptors[0])
        if pid == 0:
            self._be_child(request, descriptors[0])
        os.close(descriptors[0])
        self.child = pid
        return {"pid": pid}

    def do_cpu(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Tell how long the child has been computing."""
        try:
            return {"cpu": time.clock_gettime((~self.child << 3) | 2) if self.child else 0.0}
        except OSError:
            return {"cpu": 0.0}

    def do_end(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """End the child, after a grace if it is about to end by itself."""
        deadline = time.monotonic() + float(request.get("grace", 0.0))
        while self.child and time.monotonic() < deadline and not self._reap():
            time.sleep(0.005)
        self.end()
        return self.last

    def end(self) -> None:
        """Kill the child, if there is one, and note what it used."""
        if self.child and not self._reap():
            os.kill(self.child, signal.SIGKILL)
            self._reap(killed=True)

    def _reap(self, killed: bool = False) -> bool:
        """Note what a child used that has ended; say whether it has."""
        dead, status, usage = os.wait4(self.child, 0 if killed else os.WNOHANG)
        if not dead:
            return False
        self.child = 0
        self.last = {
            "status": status,
            "killed": killed,
            "cpu": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss * 1024,
        }
        return True

    def _be_child(self, request: dict[str, Any], descriptor: int) -> None:
        """Lock in, then answer the judge; never returns."""
        from course_lib.grading import wire
        from course_lib.grading.contestant.answering import Answering
        from course_lib.grading.wall import confine

        channel = None
        try:
            self.control.close()
            _silence()
            channel = socket.socket(fileno=descriptor)
            os.chdir(request["folder"])
            wall = "none"
            if self.policy is not None:
                wall = confine(self.policy, keep=(descriptor,))
            _forget_places()
            sys.meta_path.insert(0, self.finder)
            limit = request["limit"]
            channel.sendall(wire.encode({"wall": wall}))
            answering = Answering(self.shell, self.instruments, limit)
            own = [name for name in sys.modules if name.partition(".")[0] == "course_lib"]
            preloaded = tuple(self.config["allowed"])
            for name in own:
                if not name.startswith(preloaded) or name.startswith("course_lib.grading"):
                    del sys.modules[name]
            if "course_lib" in sys.modules and not hasattr(sys.modules["course_lib"], "__file__"):
                del sys.modules["course_lib"]
            answering.serve(lambda: _receive(channel, wire), channel.sendall)
        except BaseException as error:
            if channel is not None:
                text = f"{type(error).__name__}: {error}"[:500]
                with contextlib.suppress(OSError):
                    channel.sendall(wire.encode({"broken": text}))
        finally:
            os._exit(0)


def _receive(channel: socket.socket, wire: ModuleType) -> Any:
    start = _exactly(channel, wire.FRAME.size)
    if not start:
        return None
    return wire.decode(start + _exactly(channel, wire.frame_size(start, 2**40)))


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = bytearray(size)
    view, at = memoryview(parts), 0
    while at < size:
        got = channel.recv_into(view[at:])
        if not got:
            return b""
        at += got
    return bytes(parts)


def _silence() -> None:
    """Let the three standard streams lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)


def _forget_places() -> None:
    """Drop what tells how and from where this process was started."""
    sys.argv[:] = [""]
    sys.orig_argv[:] = []
    sys.executable = vars(sys)["_base_executable"] = ""  # as Python itself has it if unknown
    for name in ("GRADING_WALL_OUTER", "PWD", "OLDPWD"):
        os.environ.pop(name, None)


def _module(name: str, text: str) -> ModuleType:
    """Make a module of an instrument's text."""
    module = ModuleType(name)
    module.__file__ = f"<instrument {name}>"
    sys.modules[name] = module  # dataclasses look it up
    exec(compile(text, module.__file__, "exec"), module.__dict__)
    return module


def main() -> None:
    """Serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    config = json.loads(control.recv(CONTROL_SIZE))
    sys.path[:] = config["path"]
    load_own_parts()
    from course_lib.grading.wall import die_with_parent

    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    server = ForkServer(control, config)
    server.prepare()
    server.serve()


if __name__ == "__main__":
    main()
