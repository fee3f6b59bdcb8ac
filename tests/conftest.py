"""Fixtures that several test files use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from course_lib.gpt import Params, init_gpt, named_parameters


def _draw_parameters(
    V: int, T: int, d: int, L: int, seed: int = 0, dtype: Any = np.float64, scale: float = 0.3
) -> Params:
    P = init_gpt(V, T, d, L)
    rng = np.random.default_rng(seed)
    for _, value in named_parameters(P):
        value += rng.normal(0, scale, value.shape)
    blocks = [{name: value.astype(dtype) for name, value in b.items()} for b in P["blocks"]]
    top = {name: value.astype(dtype) for name, value in P.items() if name != "blocks"}
    return {**top, "blocks": blocks}


@pytest.fixture(scope="session")
def draw_parameters() -> Callable[..., Params]:
    """Draw GPT-2 parameters that hide no mistake: random gains and biases, large weights.

    At GPT-2's own initialisation (gains 1, biases 0, weights of 0.02) a wrong layer can give the
    right logits to many digits.
    """
    return _draw_parameters
