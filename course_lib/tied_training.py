"""Gradient steps on the tied miniature, to watch what happens to a row that is never read.

The text leaves one token out. With a tied table that token's row moves all the same, because it
is scored at every position; lesson 6 shows where it goes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from course_lib.layers import Array
from course_lib.tied import tied_lm_loss_and_grad
from course_lib.validation import require_array, require_int


class TiedTraining(NamedTuple):
    """The table and its loss before the first and after each step."""

    losses: Array  # (steps + 1,), nats
    tables: Array  # (steps + 1, V, d)


def noisy_cycle(V: int, n: int, follow: float = 0.7, seed: int = 0) -> Array:
    """Draw n + 1 token ids in which id v is followed by v + 1 (at the end by 0), or by any.

    Args:
        V: ids are in [0, V); a table with more rows than that has tokens that never occur.
        n: pairs of input and target in the text.
        follow: the share of steps that follow the cycle; the others draw an id at random.
        seed: the same seed gives the same text.

    Returns:
        (n + 1,) integers: inputs are [:-1], targets [1:].

    Raises:
        TypeError, ValueError: V, n or seed is no integer in range, follow is not in [0, 1].
    """
    require_int("V", V)
    rng = np.random.default_rng(require_int("seed", seed, low=0))
    if not 0 <= follow <= 1:
        raise ValueError(f"follow must be between 0 and 1, got {follow}")
    ids = [0]
    for _ in range(require_int("n", n)):
        follows = rng.random() < follow
        ids.append((ids[-1] + 1) % V if follows else int(rng.integers(V)))
    return np.array(ids)


def train_tied(
    E: ArrayLike, A: ArrayLike, idx: ArrayLike, targets: ArrayLike, steps: int, rate: float = 1.0
) -> TiedTraining:
    """Descend the gradient of the tied table, all of the text at each step, A kept as it is.

    Args:
        E: the table to start from, (V, d); it is not changed.
        A: the layer between, (d, d).
        idx: input ids, (n,).
        targets: the ids to predict, (n,).
        steps: number of steps, each E = E - rate · dE.
        rate: the learning rate.

    Raises:
        TypeError, ValueError: as in `tied_lm_loss_and_grad`; steps no positive integer, rate not
            positive.
    """
    table = require_array("E", E, ("V", "d")).astype(np.float64)  # a copy
    if not 0 < rate < np.inf:
        raise ValueError(f"rate must be positive and finite, got {rate}")
    losses, tables = [], [table]
    for _ in range(require_int("steps", steps)):
        loss, gradient = tied_lm_loss_and_grad(table, A, idx, targets)
        table = table - rate * gradient
        losses.append(loss)
        tables.append(table)
    losses.append(tied_lm_loss_and_grad(table, A, idx, targets)[0])
    return TiedTraining(np.array(losses), np.array(tables))
