"""Seeds and fixtures that several test files use."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest

from course_lib.gpt_parameters import Params, init_gpt, named_parameters

try:
    import hypothesis
except ImportError:  # the lessons alone do not need it
    pass
else:
    # The same examples at each run; a failure prints the decorator that reproduces it.
    hypothesis.settings.register_profile("course", derandomize=True, deadline=None, print_blob=True)
    hypothesis.settings.load_profile("course")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=14, help="seed of the fixture rng (default 14)")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--seed")


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, pytest.TestReport]:
    """Print the seed under the failure of a test that drew with it."""
    report = yield
    used = getattr(item, "funcargs", {}).get("seed")
    if report.failed and used is not None:
        report.sections.append(("seed", f"--seed {used}"))
    return report


def _draw_parameters(
    V: int, T: int, d: int, L: int, seed: int = 0, dtype: Any = np.float64, scale: float = 0.3
) -> Params:
    P = init_gpt(V, T, d, L)
    rng = np.random.default_rng(seed)
    for _, value in named_parameters(P):
        value[...] += rng.normal(0, scale, value.shape)
    blocks = [{name: value.astype(dtype) for name, value in b.items()} for b in P["blocks"]]
    top = {name: value.astype(dtype) for name, value in P.items() if name != "blocks"}
    return {**top, "blocks": blocks}


@pytest.fixture(scope="module")
def draw_parameters() -> Callable[..., Params]:
    """Draw GPT-2 parameters that hide no mistake: random gains and biases, large weights.

    At GPT-2's own initialisation (gains 1, biases 0, weights of 0.02) a wrong layer can give the
    right logits to many digits.
    """
    return _draw_parameters
