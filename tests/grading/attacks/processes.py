"""Which processes there are below one."""

from __future__ import annotations

from pathlib import Path


def parents() -> dict[int, int]:
    """Return {process: its parent} of all that run; those that have ended are left out."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            found[int(entry.name)] = int(parent)
    return found


def descendants(root: int) -> frozenset[int]:
    """Return all processes that a process started, and they in turn."""
    above = parents()
    found: set[int] = set()
    fresh = {root}
    while fresh:
        fresh = {pid for pid, parent in above.items() if parent in fresh} - found
        found |= fresh
    return frozenset(found)


def running(pids: frozenset[int]) -> frozenset[int]:
    """Return those of the processes that still run."""
    return pids & frozenset(parents())
