"""The keys and values of the positions seen so far, kept so that no token is computed twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from course_lib.layers import Array
from course_lib.validation import require_int


class KVCache:
    """Keys and values of B sequences of equal length, for one model.

    `keys` and `values` have shape (L, B, h, capacity, d_k); positions 0 to `length` - 1 are
    filled. Made by `FastGPT.new_cache`, filled by `FastGPT.extend`.
    """

    def __init__(self, L: int, B: int, h: int, capacity: int, d_k: int, dtype: Any) -> None:
        require_int("B", B)
        self.keys: Array = np.empty((L, B, h, capacity, d_k), dtype)
        self.values: Array = np.empty((L, B, h, capacity, d_k), dtype)
        self.length = 0

    @property
    def batch(self) -> int:
        """How many sequences it holds."""
        return int(self.keys.shape[1])

    @property
    def capacity(self) -> int:
        """How many positions fit."""
        return int(self.keys.shape[3])

    def require_room(self, ids: Array) -> None:
        """Refuse ids of another batch size, or more than there is room for.

        Raises:
            ValueError: as said.
        """
        B, n = ids.shape
        if self.batch != B:
            raise ValueError(
                f"idx holds {B} sequences, but this cache was made for {self.batch}: make one "
                f"with new_cache({B})"
            )
        if self.length + n > self.capacity:
            raise ValueError(
                f"the context is full: the cache holds {self.length} of {self.capacity} "
                f"positions and {n} more came; start again with the last tokens of the text"
            )
