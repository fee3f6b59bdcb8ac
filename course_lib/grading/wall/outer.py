"""How a fork server is started: in namespaces of its own where that can be had."""

from __future__ import annotations

import os
import shutil

from .bubblewrap import bubblewrapped
from .confinement import OUTER_TIER
from .environment import clean_environment
from .tiers import best_tier


def outer_command(
    command: list[str], readable: tuple[str, ...], fds: tuple[int, ...] = ()
) -> tuple[list[str], dict[str, str]]:
    """Return the command and the whole environment to start a fork server with.

    With bubblewrap the server sees only `readable`, its interpreter (command[0], the one that
    runs this) and the standard library; without it, the command is returned as it is.
    fds: descriptors that the server is to inherit; give them to `Popen(pass_fds=…)` too.

    Raises:
        ValueError: the command is empty or has no absolute path, or a descriptor is not open.
    """
    if not command or not command[0].startswith("/"):
        raise ValueError(f"command is {command!r}, expected an absolute path and its arguments")
    for descriptor in fds:
        try:
            os.fstat(descriptor)
        except OSError as error:
            raise ValueError(f"fds has {descriptor}, which is not open") from error
    bwrap = shutil.which("bwrap")
    if bwrap and best_tier().name.startswith(OUTER_TIER):
        return bubblewrapped(bwrap, command, readable), clean_environment(bubblewrapped=True)
    return command, clean_environment(bubblewrapped=False)
