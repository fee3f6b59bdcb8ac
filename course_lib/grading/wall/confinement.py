"""Confining a process: everything the kernel offers, in the order in which it can be had.

The limits come first and the system call filter last, because each step takes away what an
earlier one needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from .landlock import enforce, landlock_version, make_ruleset
from .limits import lower_limits, thread_count
from .policy import Policy, WallError
from .privileges import (
    NOBODY,
    become,
    die_with_parent,
    empty_bounding_set,
    forbid_inspection,
    forbid_new_privileges,
    leave_network,
)
from .seccomp import assemble, install
from .syscall_numbers import architecture, supported_architecture

INNER_TIER, OUTER_TIER = "landlock+seccomp", "bubblewrap"
OUTER_VARIABLE = "GRADING_WALL_OUTER"  # set by `outer_command`: what the server was started in

T = TypeVar("T")

_rulesets: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}


def prepare(policy: Policy) -> None:
    """Do the part of `confine` that can be done once, in the server that forks the children.

    The server leaves the network here, too, where it can and is not in a namespace already.
    Policies with the same paths then share their Landlock rules; others `confine` makes itself.
    Call it while the server has one thread, after all that needs a network or writes a file.

    Raises:
        WallError: this machine has no Landlock.
    """
    key = (policy.readable, policy.listable)
    if key not in _rulesets:
        _rulesets[key] = _step("making the Landlock rules", lambda: _ruleset(policy))
    if OUTER_VARIABLE not in os.environ:
        leave_network()
    if os.geteuid() == 0:
        empty_bounding_set()
    assemble(architecture(), os.getpid())


def confine(policy: Policy, keep: Iterable[int] | None = None) -> str:
    """Confine this process for good and return the name of the tier.

    Call it in a freshly forked child with one thread, before any code that is not trusted runs.
    keep: the descriptors to leave open besides 0, 1 and 2; all others are closed. With None none
        is closed, and whatever they reach is open to the process.

    Raises:
        WallError: a part failed. The process may then be half confined: end it.
    """
    if not supported_architecture():
        raise WallError(f"the wall does not know {architecture()} processors")
    threads = _step("counting threads", thread_count)
    if threads != 1:
        raise WallError(
            f"the process has {threads} threads and only the calling one can be confined: set the "
            "BLAS threads to 1 before the first import, and start no thread before forking"
        )
    key = (policy.readable, policy.listable)
    ruleset = _rulesets.get(key, -1)
    if ruleset < 0:
        ruleset = _step("making the Landlock rules", lambda: _ruleset(policy))
    if keep is not None:
        kept = {0, 1, 2, ruleset, *keep}
        _step("closing descriptors", lambda: _close_all_but(kept))
    _step("lowering the limits", lambda: lower_limits(policy))
    _step("giving up ids and capabilities", lambda: become(policy.drop_to))
    _step("tying the process to its parent", die_with_parent)
    _step("forbidding inspection", forbid_inspection)
    _step("forbidding new privileges", forbid_new_privileges)
    _step("enforcing Landlock", lambda: enforce(ruleset, landlock_version()))
    os.close(ruleset)
    _step("installing the seccomp filter", lambda: install(assemble(architecture(), os.getpid())))
    outer = os.environ.get(OUTER_VARIABLE)
    return f"{outer}+{INNER_TIER}" if outer else INNER_TIER


def choose_uid(paths: Iterable[str], uid: int = NOBODY) -> int | None:
    """Return the id that a server started by root should have its children drop to.

    None if this is not root, or if that user could not read what it must (an interpreter in
    /root): then children keep root's id and lose only the capabilities. Decided by trying, in a
    child; call it once, in the server, while it has one thread.
    """
    if os.geteuid() != 0:
        return None
    child = os.fork()
    if child == 0:
        status = 1
        try:
            become(uid)
            status = 0 if all(_readable(Path(path)) for path in paths) else 1
        finally:
            os._exit(status)
    return uid if os.waitpid(child, 0)[1] == 0 else None


def _readable(path: Path) -> bool:
    """Whether the file, or the directory and one file in it, can be read, if they exist at all."""
    try:
        if path.is_dir():
            first = next((entry for entry in path.iterdir() if entry.is_file()), None)
            return first is None or _readable(first)
        with path.open("rb"):
            return True
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _ruleset(policy: Policy) -> int:
    version = landlock_version()
    if version < 1:
        raise WallError("this kernel does not enforce Landlock: see `best_tier()`")
    return make_ruleset(policy.readable, policy.listable, version)


def _close_all_but(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names are what is wanted
        descriptor = int(name)
        if descriptor not in kept:
            with suppress(OSError):  # the one that listed the others is closed already
                os.close(descriptor)


def _step(what: str, action: Callable[[], T]) -> T:
    try:
        return action()
    except (OSError, ValueError) as error:
        raise WallError(f"the process could not be confined: {what} failed ({error})") from error
