"""Which wall this machine can build, found out by building it and knocking at it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .bubblewrap import bubblewrapped
from .confinement import INNER_TIER, OUTER_TIER
from .environment import clean_environment
from .landlock import landlock_version
from .syscall_numbers import ARCHITECTURES, architecture, supported_architecture

PROBE = Path(__file__).with_name("probe.py")
PROBE_SECONDS = 30.0
WAYS_ON = (
    "Ways on: a Linux machine (kernel 5.13 or newer with Landlock, x86-64 or aarch64); Windows: "
    "WSL2; macOS: a Linux container or virtual machine (Docker Desktop, Colima); or --unsafe, "
    "which runs students' code with your own rights."
)


@dataclass(frozen=True)
class Tier:
    """A kind of wall.

    name: "bubblewrap+landlock+seccomp", "landlock+seccomp" or "none".
    explanation: what it is made of, or what is missing and what can be done about it.
    ok: whether grading may go on.
    """

    name: str
    explanation: str
    ok: bool


@cache
def best_tier() -> Tier:
    """Return the best wall that can be had here; it is tried once a process, in a child."""
    if sys.platform != "linux":
        system = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
        return _none(f"{system} has neither Landlock nor seccomp, which are parts of Linux")
    if not supported_architecture():
        known = " and ".join(ARCHITECTURES)
        return _none(f"the wall knows 64-bit Python on {known}, this is {architecture()}")
    bwrap = shutil.which("bwrap")
    outer_failure = "bubblewrap (the command bwrap) is not installed"
    if bwrap:
        outer_failure = _probe(bwrap)
        if not outer_failure:
            return Tier(
                f"{OUTER_TIER}+{INNER_TIER}",
                "students' code runs in namespaces of its own (bubblewrap), with file rules "
                f"(Landlock, version {landlock_version()}) and a system call filter (seccomp)",
                ok=True,
            )
        outer_failure = f"bubblewrap does not work here ({outer_failure})"
    if landlock_version() < 1:
        return _none(
            f"Linux {os.uname().release} does not enforce Landlock: it needs Linux 5.13 or newer, "
            "and `landlock` in the list of security modules (/sys/kernel/security/lsm; boot "
            "option lsm=)"
        )
    failure = _probe(None)
    if failure:
        return _none(f"a process could not be confined on this machine: {failure}")
    return Tier(
        INNER_TIER,
        f"students' code runs under file rules (Landlock, version {landlock_version()}) and a "
        f"system call filter (seccomp), without namespaces: {outer_failure}",
        ok=True,
    )


def _none(reason: str) -> Tier:
    return Tier("none", f"{reason}. {WAYS_ON}", ok=False)


def _probe(bwrap: str | None) -> str:
    """Build that wall and try to get through; return what went wrong, "" if nothing."""
    command = [sys.executable, "-I", "-S", "-B", str(PROBE)]
    if bwrap:
        command = bubblewrapped(bwrap, command, (str(PROBE.parent),))
    try:
        run = subprocess.run(
            command,
            env=clean_environment(bubblewrapped=bool(bwrap)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = run.stdout.decode(errors="replace").splitlines()
    try:
        answer = json.loads(lines[-1])
        return str(answer["failure"])
    except (IndexError, ValueError, KeyError, TypeError):
        said = run.stderr.decode(errors="replace").strip().splitlines()
        return said[-1] if said else f"the trial ended with status {run.returncode}"
