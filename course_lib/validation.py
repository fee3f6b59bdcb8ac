"""Refuse bad input with an error that says which argument, what came and what is allowed.

NumPy would often go on: a negative id reads the table from its end, a float32 mask turns the
whole pass into float64, a NaN reaches every later position. The public functions of the engine
ask this file first. Nothing here computes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ids = NDArray[np.intp]


def describe(value: object) -> str:
    """Say in a few words what came: the type, and the shape or the value."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '…'} of type {type(value).__name__}"


def require_int(name: str, value: object, low: int | None = 1, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number with low <= value <= high.

    Raises:
        TypeError: a bool, a float, a string or anything else that is no integer.
        ValueError: an integer out of range.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {describe(value)}")
    if (low is not None and value < low) or (high is not None and value > high):
        bound = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {bound}, got {value}")
    return int(value)


def require_heads(d: int, n_head: object) -> int:
    """Return the number of heads if it divides the width d."""
    h = require_int("n_head", n_head)
    if d % h:
        divisors = [k for k in range(1, d + 1) if d % k == 0]
        raise ValueError(
            f"n_head must divide the width d = {d}, got n_head = {h}; "
            f"allowed: {', '.join(map(str, divisors))}"
        )
    return h


def require_ids(name: str, ids: ArrayLike, vocabulary: int, ndim: int, max_T: int | None) -> Ids:
    """Return token ids as an integer array if every one is in [0, vocabulary).

    Args:
        name: the argument's name, for the message.
        ids: the token ids, of `ndim` dimensions, the last one of length T.
        vocabulary: V, the number of rows of the token table.
        ndim: how many dimensions the ids must have.
        max_T: rows of the position table; None where there is no such limit.

    Raises:
        TypeError: the ids are no integers.
        ValueError: wrong number of dimensions, empty, too long, or an id out of range.
    """
    array = np.asarray(ids)
    shape = {1: "(T,)", 2: "(B, T)"}[ndim]
    if array.ndim != ndim:
        hint = f"; for one sequence pass {name}[None, :]" if (ndim, array.ndim) == (2, 1) else ""
        raise ValueError(f"{name} must have shape {shape}, got shape {array.shape}{hint}")
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one token id, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got dtype {array.dtype}")
    if max_T is not None and array.shape[-1] > max_T:
        raise ValueError(
            f"{name} holds T = {array.shape[-1]} tokens, but the position table has only "
            f"{max_T} rows: keep the last {max_T} tokens, or use a model with a longer context"
        )
    outside = (array < 0) | (array >= vocabulary)
    if outside.any():
        place = tuple(int(i) for i in np.argwhere(outside)[0])
        raise ValueError(
            f"{name}{list(place)} is {array[place]}, but token ids must be between 0 and "
            f"V - 1 = {vocabulary - 1}"
        )
    return array.astype(np.intp, copy=False)


def require_array(name: str, value: object, shape: Sequence[int | str]) -> NDArray[Any]:
    """Return `value` as a float array of the given shape, every entry finite.

    Args:
        name: the argument's name, for the message.
        value: what came; it is not copied if it is a float array already.
        shape: one entry a dimension: a number that must match, or a symbol for any size >= 1.

    Raises:
        TypeError: the entries are no real numbers.
        ValueError: wrong shape, empty, or an entry that is NaN or infinite.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got {describe(value)}")
    wanted = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    fits = len(array.shape) == len(shape) and all(
        (size >= 1 if isinstance(want, str) else size == want)
        for size, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(place)} is {array[place]}, but every entry must be finite")
    return array


def require_mask(name: str, value: object, T: int) -> NDArray[Any]:
    """Return `value` as a (T, T) mask to add to scores: finite or -inf, one finite key a row."""
    mask = np.asarray(value)
    if mask.dtype.kind not in "fiu":
        hint = "; a boolean mask is np.where(allowed, 0.0, -np.inf)" if mask.dtype == bool else ""
        raise TypeError(f"{name} must hold numbers that are added to the scores, got {mask.dtype}{hint}")
    if mask.shape != (T, T):
        raise ValueError(f"{name} must have shape ({T}, {T}), got {mask.shape}")
    if np.isnan(mask).any() or np.isposinf(mask).any():
        raise ValueError(f"{name} must hold finite numbers or -inf, got NaN or +inf")
    if np.isneginf(mask).all(axis=-1).any():
        row = int(np.flatnonzero(np.isneginf(mask).all(axis=-1))[0])
        raise ValueError(f"{name} row {row} forbids every key; allow at least one")
    return mask.astype(np.float64, copy=False)


def require_names(where: str, mapping: object, names: Iterable[str]) -> Mapping[str, Any]:
    """Return `mapping` if it is a dict that holds every one of `names`."""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{where} must be a dict, got {describe(mapping)}")
    missing = [name for name in names if name not in mapping]
    if missing:
        raise KeyError(
            f"{where} lacks {', '.join(map(repr, missing))}; it holds "
            f"{', '.join(sorted(map(repr, mapping))) or 'nothing'}"
        )
    return mapping
