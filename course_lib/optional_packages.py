"""Say plainly, and without a traceback, which optional packages a lesson needs and how to get them.

The lesson that compares with PyTorch calls `require_packages` in its first cell.
"""

from __future__ import annotations

from importlib.util import find_spec


class MissingPackagesError(ImportError):
    """Packages that this lesson needs are not installed."""

    def _render_traceback_(self) -> list[str]:
        """Give IPython what to show in place of a traceback."""
        return [str(self)]


def require_packages(*names: str, command: str = "make torch") -> None:
    """Return if every package can be imported; none is imported here, so it takes no time.

    Args:
        names: top-level names, such as "torch".
        command: what to type to install them.

    Raises:
        MissingPackagesError: some are missing. Jupyter shows its message alone and runs no
            further cell.
    """
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise MissingPackagesError(
            f"This lesson needs {' and '.join(missing)}, not installed here.\n"
            f"Type `{command}` in the folder of the course, then choose Kernel > Restart.\n"
            "Every other lesson runs without."
        )
