"""A lesson as nbval's collector sees it, with the rules and comparisons of this course."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, nocolors

from lesson_guard.notebook_rules import broken_rules
from lesson_guard.output_images import images, put_images
from lesson_guard.png_comparison import PngDifference, UnsoundPng, compare_png
from lesson_guard.watched_kernel import KernelDied, WatchedKernel

NOT_COMPARED = (
    "execution_count",
    "name",
    "output_type",
    "traceback",
    "application/vnd.jupyter.widget-view+json",
)
KERNEL_ENVIRONMENT = pytest.StashKey[dict[str, str]]()


def missing_packages(notebook: dict[str, Any]) -> list[str]:
    """Name the packages of the notebook's metadata `course.needs` that are not installed."""
    needs = notebook.get("metadata", {}).get("course", {}).get("needs", [])
    return [name for name in needs if find_spec(name) is None]


class LessonNotebook(IPyNbFile):
    """One lesson: refused if it breaks a rule, skipped if it needs a package that is missing."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        # nbval leaves out images and metadata too; alt text is metadata. Execution counts are
        # settled by the rules, tracebacks differ between machines, widget ids are random.
        self.skip_compare: tuple[str, ...] = NOT_COMPARED

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the code cells."""
        try:
            notebook = json.loads(self.path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise self.CollectError(f"{self.name} is not JSON: {error}") from error
        if faults := broken_rules(notebook):
            raise self.CollectError("\n".join(f"{self.name}: {fault}" for fault in faults))
        if missing := missing_packages(notebook):
            yield MissingPackages.from_parent(self, name="needs", missing=missing)
            return
        for cell in super().collect():
            yield LessonCell.from_parent(
                self, name=cell.name, cell_num=cell.cell_num, cell=cell.cell, options=cell.options
            )

    def setup(self) -> None:
        """Start the kernel, unless the notebook is skipped."""
        if not hasattr(self, "nb"):
            return
        timeout = self.config.option.nbval_kernel_startup_timeout
        environment = self.config.stash[KERNEL_ENVIRONMENT]
        self.kernel = WatchedKernel(self.path.parent, environment, timeout)
        self.setup_sanitize_files()

    def teardown(self) -> None:
        """Stop the kernel."""
        if self.kernel is not None:
            self.kernel.stop()


class LessonCell(IPyNbCell):
    """One code cell: a dead kernel is named at once, images are compared as pixels."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.colors = nocolors  # nbval would colour a log file too

    def runtest(self) -> None:
        """Run the cell and compare its outputs."""
        try:
            super().runtest()
        except KernelDied as death:
            self.raise_cell_error(f"{death} The cells after this one cannot run.")

    def compare_outputs(self, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        """Compare images as pixels, then all the rest as nbval does."""
        seen, wanted = images(test), images(ref)
        faults = []
        if len(seen) == len(wanted):
            # An image that stands in HTML too is reported once.
            for number, (expected, got) in enumerate(dict.fromkeys(zip(wanted, seen, strict=True))):
                if fault := self._image_fault(expected, got, number):
                    faults.append(fault)
            put_images(test, wanted)  # settled: nbval need not look again
            put_images(ref, wanted)
        rest_is_equal = bool(super().compare_outputs(test, ref, skip_compare))
        self.comparison_traceback.extend(faults)
        return rest_is_equal and not faults

    def _image_fault(self, expected: str, got: str, number: int) -> str | None:
        try:
            difference = compare_png(base64.b64decode(expected), base64.b64decode(got))
        except (UnsoundPng, ValueError) as error:
            return f"image {number}: {error}"
        return self._report(difference, number) if difference else None

    def _report(self, difference: PngDifference, number: int) -> str:
        folder = self.config.rootpath / "build" / "figure-differences" / self.path.stem
        stem = f"cell-{self.cell_num}-image-{number}"
        difference.write(folder, stem)
        return f"image {number}: {difference.message}; see {folder}/{stem}-*.png"


class MissingPackages(pytest.Item):
    """Stands for a lesson that cannot run here, so that its reason is shown."""

    def __init__(self, *, missing: list[str], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.missing = missing

    def runtest(self) -> None:
        """Skip, saying what to do."""
        pytest.skip(f"{self.path.name} needs {' and '.join(self.missing)}: run `make torch`")

    def reportinfo(self) -> tuple[Any, int, str]:
        """Name the notebook."""
        return self.path, 0, self.path.name
