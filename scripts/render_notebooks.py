"""Run the lessons and write their committed outputs; nothing else writes them.

Usage: python scripts/render_notebooks.py [--check] [NOTEBOOK …]

Without names, every notebook of notebooks/lesson-14. A notebook is written only if all its cells
ran. With --check nothing is written. Exit status: 0 done (with --check: all are up to date), 1 a
notebook failed (with --check: or would change).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "notebooks"))

import nbformat.v4  # noqa: E402  (lesson_guard lies in notebooks/, beside the lessons it guards)
from lesson_guard.canonical_form import canonical, to_bytes  # noqa: E402
from lesson_guard.kernel_environment import fixed_environment  # noqa: E402
from lesson_guard.lesson_kernel import AsyncLessonKernel  # noqa: E402
from lesson_guard.lesson_notebook import missing_packages  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from nbclient.exceptions import (  # noqa: E402
    CellExecutionError,
    CellTimeoutError,
    DeadKernelError,
)

AT_A_TIME = 2
CELL_TIMEOUT = 120  # seconds


class CellFailed(Exception):
    """A cell raised, took too long or ended its kernel; the message names it."""


async def execute(
    notebook: nbformat.NotebookNode, folder: Path, environment: dict[str, str]
) -> None:
    """Run all cells in place, in a new kernel that starts in `folder`. Raises CellFailed."""
    place = "before its first cell"

    def remember(cell: nbformat.NotebookNode, cell_index: int) -> None:
        nonlocal place
        first_line = cell.source.strip().split("\n")[0]
        place = f"in cell {cell_index} ({cell.id}: {first_line})"

    client = NotebookClient(
        notebook,
        kernel_manager_class=AsyncLessonKernel,
        resources={"metadata": {"path": str(folder)}},
        timeout=CELL_TIMEOUT,
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
        on_cell_start=remember,
    )
    try:
        await client.async_execute(env=environment, stderr=subprocess.DEVNULL)
    except CellExecutionError as error:
        raise CellFailed(f"{error.ename} {place}: {error.evalue}") from error
    except CellTimeoutError as error:
        raise CellFailed(f"no end after {CELL_TIMEOUT} s {place}") from error
    except (DeadKernelError, RuntimeError) as error:
        raise CellFailed(f"the kernel died {place}") from error


async def rendered(path: Path, environment: dict[str, str]) -> bytes:
    """Give the bytes that the notebook at `path` is to have."""
    notebook = canonical(nbformat.v4.reads_json(path.read_text(encoding="utf-8")), path.stem)
    await execute(notebook, path.resolve().parent, environment)
    return to_bytes(canonical(notebook, path.stem))


async def render(path: Path, environment: dict[str, str], *, check: bool) -> bool:
    """Render one notebook and say so in one line; give whether all is well."""
    if missing := missing_packages(json.loads(path.read_text(encoding="utf-8"))):
        print(f"skipped    {path}: needs {' and '.join(missing)} (make torch)", flush=True)
        return True
    try:
        new = await rendered(path, environment)
    except (CellFailed, ValueError, nbformat.ValidationError) as error:
        print(f"FAILED     {path}: {str(error).splitlines()[0]}", flush=True)
        return False
    if new == path.read_bytes():
        print(f"unchanged  {path}", flush=True)
        return True
    if check:
        print(f"would change  {path}", flush=True)
        return False
    part = path.with_suffix(".ipynb.part")
    part.write_bytes(new)
    part.replace(path)
    print(f"written    {path}", flush=True)
    return True


async def render_all(paths: list[Path], *, check: bool) -> bool:
    """Render the notebooks, two at a time."""
    places = asyncio.Semaphore(AT_A_TIME)
    with fixed_environment() as environment:

        async def in_turn(path: Path) -> bool:
            async with places:
                return await render(path, environment, check=check)

        return all(await asyncio.gather(*map(in_turn, paths)))


def main() -> int:
    """Read the command line and render."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--check", action="store_true", help="only say which would change")
    arguments = parser.parse_args()
    lessons = sorted((REPOSITORY / "notebooks" / "lesson-14").glob("*.ipynb"))
    paths: list[Path] = arguments.notebooks or lessons
    if not paths:
        parser.error("there is no notebook in notebooks/lesson-14")
    if absent := [str(path) for path in paths if not path.is_file()]:
        parser.error(f"no such notebook: {', '.join(absent)}")
    return 0 if asyncio.run(render_all(paths, check=arguments.check)) else 1


if __name__ == "__main__":
    sys.exit(main())
