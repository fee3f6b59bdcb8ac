"""What a confined process may still do, and the error that says that it could not be confined."""

from __future__ import annotations

from dataclasses import dataclass


class WallError(RuntimeError):
    """The process is not confined as promised: no untrusted code may run in it."""


@dataclass(frozen=True)
class Policy:
    """What one job may use.

    readable: files and directories that may be read, with all that is below them.
    listable: directories whose entries may be listed, all the way down, but not read: import
        finders need that of `site-packages`, of which only some packages are readable.
    memory: bytes of address space on top of what the process has mapped already.
    cpu_seconds: seconds of processor time after which the kernel ends the process.
    open_files: how many descriptors may be open at once, those already open included.
    drop_to: the user and group id to become when started by root (see `choose_uid`); None keeps
        root's id without any of root's capabilities. Ordinary users stay who they are.

    A path that does not exist is left out.

    Raises:
        ValueError: a path is not absolute, or a limit is not positive.
    """

    readable: tuple[str, ...]
    listable: tuple[str, ...]
    memory: int
    cpu_seconds: float
    open_files: int = 64
    drop_to: int | None = None

    def __post_init__(self) -> None:
        for name in ("readable", "listable"):
            paths = getattr(self, name)
            if isinstance(paths, str):
                raise ValueError(f"{name} is the string {paths!r}, expected a tuple of paths")
            for path in paths:
                if not path.startswith("/"):
                    raise ValueError(f"{name} has {path!r}, expected an absolute path")
        for name in ("memory", "cpu_seconds", "open_files"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected more than 0")
        if self.drop_to is not None and self.drop_to <= 0:
            raise ValueError(f"drop_to is {self.drop_to!r}, expected None or an id above 0")
