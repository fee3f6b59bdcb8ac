"""nbval for this course: each lesson is a LessonNotebook, with kernels in the fixed environment."""

from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest
from lesson_guard.kernel_environment import fixed_environment
from lesson_guard.lesson_notebook import KERNEL_ENVIRONMENT, LessonNotebook
from nbval.plugin import IPyNbFile


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("nbval", default=False):
        kernels = ExitStack()
        config.stash[KERNEL_ENVIRONMENT] = kernels.enter_context(fixed_environment())
        config.add_cleanup(kernels.close)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(parent: pytest.Collector) -> Generator[None, Any, Any]:
    collectors = yield
    return [
        LessonNotebook.from_parent(parent, path=found.path) if type(found) is IPyNbFile else found
        for found in collectors
    ]
