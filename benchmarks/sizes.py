"""The models that are timed, their arithmetic, and random weights for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from course_lib.gpt_parameters import Params, parameter_shapes


@dataclass(frozen=True)
class Size:
    """The sizes of one GPT-2, by the symbols of the lessons."""

    V: int
    T: int
    d: int
    L: int
    h: int

    def forward_flops(self, B: int, T: int) -> int:
        """Count what a forward pass multiplies and adds: matrices, and half of the scores."""
        weights = 12 * self.L * self.d**2 + self.V * self.d
        attention = 2 * self.L * self.d * (T + 1) // 2  # a query and its key, a weight and a value
        return 2 * B * T * (weights + attention)

    def weight_bytes(self, dtype: str) -> int:
        """Return what a step that makes one token has to read."""
        return (12 * self.L * self.d**2 + self.V * self.d) * np.dtype(dtype).itemsize


SIZES = {
    "gpt2": Size(V=50_257, T=1024, d=768, L=12, h=12),
    "gpt2-medium": Size(V=50_257, T=1024, d=1024, L=24, h=16),
    "tiny": Size(V=1000, T=1024, d=128, L=2, h=4),
}


def random_parameters(size: Size, dtype: str) -> Params:
    """Draw weights of GPT-2's magnitude, quickly: in float32, then converted."""
    rng = np.random.default_rng(0)

    def draw(name: str, shape: tuple[int, ...]) -> Any:
        values = rng.standard_normal(shape, dtype=np.float32)
        values *= np.float32(0.02)
        if name.endswith("_g"):
            values += 1
        return values.astype(dtype, copy=False)

    model, block = parameter_shapes(size.V, size.T, size.d)
    P: Params = {name: draw(name, shape) for name, shape in model.items()}
    P["blocks"] = [{name: draw(name, s) for name, s in block.items()} for _ in range(size.L)]
    return P
