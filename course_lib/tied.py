"""A language model of three lines whose one embedding table is used at both ends.

    X = E[idx]         (n, d)   rows of the table
    H = tanh(X A)      (n, d)
    Z = H Eᵀ           (n, V)   scores against every row of the same table
    loss = mean over t of -log softmax(Z_t)[target_t]

Small enough to differentiate by hand, and it has all that is special about a tied table: each
row gets gradient where it is read (as input) and where it is scored (as output).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from course_lib.layers import log_softmax, softmax
from course_lib.validation import require_array, require_ids

Floats = NDArray[np.floating]


class TiedGradient(NamedTuple):
    """The loss in nats and the two parts of its gradient with respect to E, each (V, d)."""

    loss: float
    through_head: Floats  # every row: its score is raised or lowered at every position
    through_lookup: Floats  # only the rows that occur in idx, once for each occurrence


def tied_lm_loss_and_grad(
    E: ArrayLike, A: ArrayLike, idx: ArrayLike, targets: ArrayLike
) -> tuple[float, Floats]:
    """Return the loss and its exact gradient with respect to the tied table.

    Args:
        E: the embedding table, (V, d).
        A: the layer between, (d, d).
        idx: input ids, (n,), integers in [0, V); ids may repeat.
        targets: the ids to predict, (n,), integers in [0, V).

    Returns:
        (loss, dE): the mean cross-entropy in nats, and dE of shape (V, d).

    Raises:
        TypeError, ValueError: wrong shapes, ids out of range or no integers, NaN, overflow.

    Source: Press & Wolf (2017) for the tied table; the derivation is in lesson 6.
    """
    loss, through_head, through_lookup = tied_gradient_paths(E, A, idx, targets)
    return loss, through_head + through_lookup


@np.errstate(over="ignore", invalid="ignore")  # an overflow is refused below, in words
def tied_gradient_paths(
    E: ArrayLike, A: ArrayLike, idx: ArrayLike, targets: ArrayLike
) -> TiedGradient:
    """Return the loss and the gradient of E through the head and through the lookup, apart.

    Arguments and errors are those of `tied_lm_loss_and_grad`.
    """
    E = require_array("E", E, ("V", "d"))
    V, d = E.shape
    A = require_array("A", A, (d, d))
    E = E.astype(np.result_type(E, A), copy=False)  # float32 only if both are
    idx = require_ids("idx", idx, vocabulary=V, ndim=1, max_T=None)
    targets = require_ids("targets", targets, vocabulary=V, ndim=1, max_T=None)
    n = len(idx)
    if len(targets) != n:
        raise ValueError(f"targets must be as long as idx ({n} ids), got {len(targets)}")

    X = E[idx]  # (n, d)
    pre = X @ A  # (n, d)
    H = np.tanh(pre)  # (n, d)
    Z = H @ E.T  # (n, V)
    loss = -float(log_softmax(Z)[np.arange(n), targets].mean())

    dZ = softmax(Z)  # (n, V): what the model believed …
    dZ[np.arange(n), targets] -= 1  # … minus what happened
    dZ /= n
    through_head = dZ.T @ H  # (V, d)

    dH = dZ @ E  # (n, d)
    dX = (dH * (1 - H * H)) @ A.T  # (n, d)
    through_lookup = np.zeros_like(E)
    np.add.at(through_lookup, idx, dX)  # adds up where an id repeats; E[idx] += dX would not
    # tanh hides an overflow, and whether inf - inf is one depends on the processor's sums.
    if not all(np.isfinite(part).all() for part in (pre, loss, through_head, through_lookup)):
        raise ValueError(
            f"E or A is so large that the products overflow {E.dtype}: use smaller numbers"
        )
    return TiedGradient(loss, through_head, through_lookup)
