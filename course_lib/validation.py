"""Refuse bad input with an error that says which argument, what came and what is allowed.

NumPy would often go on: a negative id reads the table from its end, a float32 mask turns the
whole pass into float64, a NaN reaches every later position. The public functions of the engine
ask this file first. Nothing here computes anything.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ids = NDArray[np.intp]


# ---------------------------------------------------------------- one value


def describe(value: object) -> str:
    """Say in a few words what came: the type, and the shape or the value."""
    if isinstance(value, np.ndarray):
        kind = "an array" if type(value) is np.ndarray else f"a {type(value).__name__}"
        return f"{kind} of shape {value.shape} and dtype {value.dtype}"
    text = " ".join(reprlib.repr(value).split())  # one short line, however large the value
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


def require_number(name: str, value: object) -> float:
    """Return `value` as a float if it is a finite real number.

    Raises:
        TypeError: a bool, a string, an array or anything else that is no real number.
        ValueError: NaN or infinity.
    """
    number = (int, float, np.integer, np.floating)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, number):
        raise TypeError(f"{name} must be a number, got {describe(value)}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    return float(value)


def require_heads(d: int, n_head: object) -> int:
    """Return the number of heads if it divides the width d.

    Raises:
        TypeError: n_head is no integer.
        ValueError: it is below 1, or d is no multiple of it.
    """
    h = require_int("n_head", n_head)
    if d % h:
        divisors = [k for k in range(1, d + 1) if d % k == 0]
        raise ValueError(
            f"n_head must divide the width d = {d}, got n_head = {h}; "
            f"allowed: {', '.join(map(str, divisors))}"
        )
    return h


# ---------------------------------------------------------------- arrays


def to_array(name: str, value: object) -> NDArray[Any]:
    """Return `value` as an array if its rows are equally long and nothing in it is masked out."""
    if isinstance(value, np.ma.MaskedArray):  # np.asarray would bring the masked entries back
        raise TypeError(f"{name} must be a plain array, got {describe(value)}; use .filled(…)")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} must be an array or a list whose rows are all equally long, "
            f"got {describe(value)}"
        ) from None


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
        ValueError: ragged, empty, wrong number of dimensions, too long, or an id out of range.
    """
    array = to_array(name, ids)
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one token id, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        hint = {
            "f": "; if they are whole numbers, convert them with .astype(int)",
            "b": "; a mask of True and False is no list of ids",
            "U": "; turn the text into token ids first",
        }.get(array.dtype.kind, "")
        raise TypeError(f"{name} must hold token ids (integers), got {describe(ids)}{hint}")
    if array.ndim != ndim:
        shape = {1: "(T,)", 2: "(B, T)"}[ndim]
        hints = {(2, 1): f"; for a batch of one sequence pass np.array({name})[None, :]"}
        hint = hints.get((ndim, array.ndim), "")
        raise ValueError(f"{name} must have shape {shape}, got shape {array.shape}{hint}")
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
        value: what came; a float32 or float64 array is not copied, the rest becomes float64.
        shape: one entry a dimension: a number that must match, or a symbol for any size >= 1.

    Raises:
        TypeError: the entries are no real numbers.
        ValueError: ragged, wrong shape, empty, or an entry that is NaN or infinite.
    """
    array = to_array(name, value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got {describe(value)}")
    wanted = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    fits = len(array.shape) == len(shape) and all(
        (size >= 1 if isinstance(want, str) else size == want)
        for size, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        at_least_1 = " with every size at least 1" if 0 in array.shape else ""
        raise ValueError(f"{name} must have shape {wanted}{at_least_1}, got {array.shape}")
    if array.dtype not in (np.float64, np.float32):
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(place)} is {array[place]}, but every entry must be finite")
    return array


def require_mask(name: str, value: object, T: int) -> NDArray[Any]:
    """Return `value` as a (T, T) mask to add to scores: 0, negative or -inf, one finite key a row.

    Raises:
        TypeError: the entries are no real numbers, as in a boolean mask.
        ValueError: another shape, NaN, an entry above 0 (as in a mask of ones and zeros, which
            would hide nothing), or a row of -inf only.
    """
    mask = to_array(name, value)
    hint = "; from True/False or 1/0 make np.where(allowed, 0.0, -np.inf)"
    if mask.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold 0 or -inf, to be added, got {describe(value)}{hint}")
    if mask.shape != (T, T):
        raise ValueError(f"{name} must have shape ({T}, {T}), got {mask.shape}")
    if not (mask <= 0).all():
        q, k = (int(i) for i in np.argwhere(~(mask <= 0))[0])
        raise ValueError(
            f"{name} must hold 0 where a query may look and -inf (or a large negative number) "
            f"where not, but {name}[{q}, {k}] is {mask[q, k]}{hint}"
        )
    forbidden = np.isneginf(mask).all(axis=-1)  # (T,)
    if forbidden.any():
        row = int(np.flatnonzero(forbidden)[0])
        raise ValueError(f"{name} row {row} forbids every key; allow at least one")
    return mask.astype(np.float64, copy=False)


# ---------------------------------------------------------------- dicts


def require_names(where: str, mapping: object, names: Iterable[str]) -> Mapping[str, Any]:
    """Return `mapping` if it is a dict that holds every one of `names` and no other.

    Raises:
        TypeError: it is no dict.
        KeyError: a name is missing.
        ValueError: a name too many; ignoring it would drop, say, an untied head in silence.
    """
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{where} must be a dict, got {describe(mapping)}")
    names = list(names)
    missing = [name for name in names if name not in mapping]
    if missing:
        raise KeyError(
            f"{where} lacks {', '.join(map(repr, missing))}; it holds "
            f"{', '.join(sorted(map(repr, mapping))) or 'nothing'}"
        )
    unknown = [name for name in mapping if name not in names]
    if unknown:
        raise ValueError(
            f"{where} holds {', '.join(map(repr, unknown))}, for which GPT-2 has no place; "
            f"allowed: {', '.join(map(repr, names))}"
        )
    return mapping
