"""Run a function in a freshly forked, confined child, as a student's code would run."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from course_lib.grading.wall import Policy, confine, die_with_parent
from course_lib.grading.wall.privileges import NOBODY, become

MEBIBYTE = 2**20
NOTHING = Policy((), (), memory=256 * MEBIBYTE, cpu_seconds=5.0)


@dataclass(frozen=True)
class Outcome:
    """What became of it: a plain value, or an exception's type name and errno, or a signal."""

    value: Any = None
    error: str = ""
    number: int | None = None
    message: str = ""
    signal: int = 0

    @property
    def refused(self) -> bool:
        """Whether the kernel said no, by an error or by ending the process."""
        return bool(self.error) or self.signal == signal.SIGSYS


def run(action: Callable[[], Any], before: Callable[[], Any]) -> Outcome:
    """Fork, call `before`, then `action`; return what became of `action`."""
    parent = os.getpid()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            faulthandler.disable()  # a child that ends by a signal is no failure
            os.close(reader)
            die_with_parent(parent)
            before()
            try:
                answer = {"value": action()}
            except BaseException as error:
                number = getattr(error, "errno", None)
                answer = {"error": type(error).__name__, "number": number, "message": str(error)}
            os.write(writer, json.dumps(answer).encode())
            status = 0
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return Outcome(signal=os.WTERMSIG(status))
    assert status == 0, "the child could not be confined; see its standard error"
    return Outcome(**json.loads(answer))


IDENTITIES = ("root-drops", "root-stays", "ordinary") if os.geteuid() == 0 else ("ordinary",)


@dataclass(frozen=True)
class Confined:
    """confined(action, policy): run it behind the wall, as that kind of user (its id is `uid`)."""

    identity: str

    @property
    def uid(self) -> int:
        return 0 if self.identity == "root-stays" else NOBODY if os.geteuid() == 0 else os.geteuid()

    def __call__(self, action: Callable[[], Any], policy: Policy = NOTHING) -> Outcome:
        drop_to = NOBODY if self.identity == "root-drops" else None
        return run(action, lambda: (self.become(), confine(replace(policy, drop_to=drop_to))))

    def free(self, action: Callable[[], Any]) -> Outcome:
        """Run it without the wall, to see that it would have worked."""
        return run(action, self.become)

    def watch(self, look: Callable[[int], Any]) -> Any:
        """Confine a child and call `look` with its id while it waits."""
        reader, writer = os.pipe()
        said, say = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(writer)
                self.become()
                confine(replace(NOTHING, drop_to=NOBODY if self.identity == "root-drops" else None))
                os.write(say, b"ready")
                os.read(reader, 1)
            finally:
                os._exit(0)
        try:
            os.read(said, 5)
            return look(child)
        finally:
            for descriptor in (reader, writer, said, say):
                os.close(descriptor)
            os.waitpid(child, 0)

    @contextmanager
    def beside(
        self, action: Callable[[], Any], policy: Policy | None = NOTHING
    ) -> Generator[Callable[[], int], None, None]:
        """Let a second child act and then stay, confined unless the policy is None.

        What is yielded waits until it has acted, and returns the number of its error or 0.
        """
        answered, answer = os.pipe()
        stay, leave = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(leave)
                self.become()
                if policy:
                    drop_to = NOBODY if self.identity == "root-drops" else None
                    confine(replace(policy, drop_to=drop_to))
                try:
                    action()
                    number = 0
                except OSError as error:
                    number = error.errno or -1
                os.write(answer, str(number).encode())
                os.read(stay, 1)
            finally:
                os._exit(0)
        os.close(answer)
        try:
            yield lambda: int(os.read(answered, 20))
        finally:
            for descriptor in (leave, stay, answered):
                os.close(descriptor)
            os.waitpid(child, 0)

    def become(self) -> None:
        if self.identity == "ordinary":
            become(NOBODY)


@pytest.fixture(params=IDENTITIES)
def confined(request: pytest.FixtureRequest) -> Confined:
    return Confined(request.param)


@pytest.fixture
def room(confined: Confined) -> Generator[Path, None, None]:
    """A directory that everyone may read and that belongs to whoever is confined."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "room")
        folder.mkdir(mode=0o755)
        Path(name).chmod(0o755)
        own(folder, confined)
        yield folder


@pytest.fixture
def secret(confined: Confined, room: Path) -> Path:
    """A file in the room."""
    path = room / "secret.txt"
    path.write_text("the answer is 42")
    own(path, confined)
    return path


def own(path: Path, confined: Confined) -> None:
    if os.geteuid() == 0:
        os.chown(path, confined.uid, confined.uid)


@pytest.fixture
def forked() -> Callable[..., Outcome]:
    """forked(action, before): call `before`, then `action`, in a child without the wall."""
    return run
