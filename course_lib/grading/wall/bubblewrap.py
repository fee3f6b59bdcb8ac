"""The command line that starts a program in namespaces of its own, by bubblewrap.

Inside there are no other processes, no network, and no files but the ones named, read-only. What
was tried and why it is so:

- Started by root, bubblewrap keeps root's id inside (each child gives it up, see `confine`), with
  only the capabilities to do that and to end children. So the files of an interpreter under /root
  can be shown to another user.
- The program is process 1 of its namespace. With bubblewrap's own process 1 in between, that
  one's environment could be read in /proc/1/environ.
- A program that is process 1 takes all others with it when it ends.
- Descriptors of the starter go through: bubblewrap closes none.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .interpreter import DEVICES, PACKAGE_FOLDERS, library_files, standard_library

TEMPORARY_BYTES = 16 * 2**20
ROOT_KEEPS = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL", "CAP_DAC_READ_SEARCH")


def bubblewrapped(bwrap: str, command: list[str], readable: Iterable[str]) -> list[str]:
    """Return the command that runs `command` inside, where only `readable` can be seen.

    The interpreter and its standard library are always there, its installed packages are not.
    """
    line = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    line += ["--unshare-cgroup-try", "--hostname", "wall", "--as-pid-1", "--die-with-parent"]
    line += ["--new-session", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        for capability in ROOT_KEEPS:
            line += ["--cap-add", capability]
    else:
        line += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    size = ["--size", str(TEMPORARY_BYTES)] if _knows(bwrap, "--size") else []
    line += ["--proc", "/proc", *size, "--tmpfs", "/tmp"]
    line += _views([*_runtime(command[0]), *readable])
    for device in DEVICES:
        line += ["--dev-bind-try", device, device]
    return [*line, "--remount-ro", "/", "--chdir", "/", "--", *command]


@cache
def _knows(bwrap: str, option: str) -> bool:
    """Whether this bubblewrap has that option: --size came with version 0.7."""
    run = subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False)
    return option in run.stdout + run.stderr


def _runtime(executable: str) -> list[str]:
    """Return what the interpreter needs: this one's libraries, and its own configuration."""
    environment = Path(executable).parent.parent / "pyvenv.cfg"  # there if it is a virtual one
    found = [executable, str(environment), *library_files(), *standard_library()]
    if sys.base_prefix not in ("/", "/usr"):
        found += [str(path) for path in Path(sys.base_prefix, "lib").glob("*.so*")]
    return found


def _views(paths: list[str]) -> list[str]:
    """Return the options that show these paths, links on the way included."""
    links: dict[str, str] = {}
    shown = {_follow(path, links) for path in paths if Path(path).exists()}
    packages = (Path(folder, name) for folder in standard_library() for name in PACKAGE_FOLDERS)
    hidden = {str(folder.resolve()) for folder in packages if folder.is_dir()}
    marks = dict.fromkeys(hidden, False) | dict.fromkeys(shown, True)
    edges: dict[str, bool] = {}  # only where what can be seen changes
    for path, visible in sorted(marks.items()):
        if visible != _visible(path, edges):
            edges[path] = visible
    options: list[str] = []
    places = [*edges, *links, *DEVICES]
    for folder in sorted({str(above) for place in places for above in Path(place).parents}):
        if folder != "/" and not _visible(folder, edges):
            options += ["--dir", folder]  # else bubblewrap makes it, for root's eyes only
    for path, visible in edges.items():
        options += ["--ro-bind", path, path] if visible else ["--tmpfs", path]
    for link, target in links.items():
        if not _visible(link, edges):
            options += ["--symlink", target, link]
    for path, visible in edges.items():
        options += [] if visible else ["--remount-ro", path]
    return options


def _visible(path: str, edges: dict[str, bool]) -> bool:
    """Whether the nearest folder above shows what is below it."""
    above = (str(parent) for parent in Path(path).parents)
    return next((edges[parent] for parent in above if parent in edges), False)


def _follow(path: str, links: dict[str, str]) -> str:
    """Return the path without links, and note each link on the way with its target."""
    pending, here = list(Path(path).parts[1:]), Path("/")
    while pending:
        part = pending.pop(0)
        if part == "..":
            here = here.parent
            continue
        here = here / part
        if here.is_symlink():
            target = str(here.readlink())
            links[str(here)] = target
            pending = [*Path(target).parts[1 if target.startswith("/") else 0 :], *pending]
            here = Path("/") if target.startswith("/") else here.parent
    return str(here)
