"""Run many wrong variants of a reference in one pass: copy i of the batch is variant i.

A pair of mistakes is found by trying pairs, and there are hundreds of thousands. Run one by one,
on inputs so tiny, nearly all time goes into Python's own steps. So the inputs are repeated along
the batch axis, once for each variant. A method that some variants replace cuts its batch into
their shares; all other methods run once for all. Per variant that is about a tenth of the time.

What comes out serves to choose variants worth a closer look. `diagnose` verifies each by itself.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any
Pieces = Mapping[str, Any]
Args = tuple[Any, ...]


@dataclass(frozen=True)
class Stacking:
    """How the calls of an exercise are repeated along the batch axis.

    tile: the arguments, repeated so many times; rows: the length of the batch of one copy.
    focus: tells a running model the length of the batch of the copies that it works on now.
    spread: for methods whose value has no batch axis, that value given one of so many rows.
    whole: names of methods that decide on the whole, so that variants of them run alone.
    inside: methods that may change shapes, and the box within which that stays.
    last: the method that makes the result of what was computed; it may give any shape.
    telling: names of small cases, each silencing some boxes, by which pairs are narrowed down.
    revealing: methods whose variants may let mistakes in others show where alone they do not.
    silent: methods that give nothing on these arguments, and the names that must be as they were.
    """

    tile: Callable[[Args, int], Args]
    rows: Callable[[Args], int]
    focus: Callable[[Any, int], None]
    spread: Mapping[str, Callable[[Any, Any, int], Array]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    inside: Mapping[str, str] = field(default_factory=dict)
    last: str = "result"
    telling: frozenset[str] = frozenset()
    revealing: Mapping[str, frozenset[str]] = field(default_factory=dict)
    silent: Callable[[Args], list[tuple[Pieces, frozenset[str]]]] = lambda args: []


class _Share:
    """The copies, from `low` to `high`, that a running model works on; `rows` sequences each."""

    def __init__(self, high: int, rows: int) -> None:
        self.low, self.high, self.rows = 0, high, rows


def run_side_by_side(
    stacking: Stacking, reference: type, args: Args, variants: Sequence[Pieces], common: Pieces
) -> Array | None:
    """Return the results of all variants, (N, …); NaN for one that has another form; or None.

    common: methods that are replaced in all variants; no variant may replace one of them.
    """
    touched = {name for form in (*variants, common) for name in form}
    for pieces, needs in stacking.silent(args):
        if not touched & needs:
            common = {**pieces, **common}
    result = common.get(stacking.last)
    common = {name: piece for name, piece in common.items() if name != stacking.last}
    count, rows = len(variants), stacking.rows(args)
    share = _Share(count, rows)
    methods: dict[str, Any] = dict(common)
    owners: dict[str, list[tuple[int, Any]]] = {}
    for i, form in enumerate(variants):
        boxes = {stacking.inside[n] for n in form if n in stacking.inside} - form.keys()
        own = {box: common.get(box, getattr(reference, box)) for box in boxes}
        for name, piece in (*form.items(), *own.items()):
            owners.setdefault(name, []).append((i, piece))
    for name, places in owners.items():
        base = common.get(name, getattr(reference, name))
        runs = _runs(places, base, count)
        make = _divided if callable(base) else _column
        methods[name] = make(name, runs, share, stacking)
    model = type("SideBySide", (reference,), methods)()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = model.answer(*stacking.tile(args, count))
            if result is not None and len(out) == count * rows:
                stacking.focus(model, rows)
                shares = (out[n : n + rows] for n in range(0, count * rows, rows))
                return np.stack([result(model, part) for part in shares])
        except Exception:  # the common mistake stops the program, or no variant gives anything
            return None
    if not isinstance(out, np.ndarray) or out.shape[:1] != (count * rows,):
        return None
    return out.reshape(count, rows, *out.shape[1:])


def _runs(places: list[tuple[int, Any]], base: Any, count: int) -> tuple[list[int], list[Any]]:
    """Return where each stretch of copies with the same method starts, and the methods."""
    starts, pieces, end = [], [], 0
    for i, piece in places:
        if i > end:
            starts.append(end)
            pieces.append(base)
        starts.append(i)
        pieces.append(piece)
        end = i + 1
    if end < count:
        starts.append(end)
        pieces.append(base)
    return starts, pieces


def _stretches(runs: tuple[list[int], list[Any]], share: _Share) -> list[tuple[int, int, Any]]:
    starts, pieces = runs
    first = bisect_right(starts, share.low) - 1
    last = bisect_right(starts, share.high - 1)
    found = []
    for n in range(first, last):
        until = starts[n + 1] if n + 1 < len(starts) else share.high
        found.append((max(starts[n], share.low), min(until, share.high), pieces[n]))
    return found


def _divided(
    name: str, runs: tuple[list[int], list[Any]], share: _Share, stacking: Stacking
) -> Callable[..., Any]:
    """Return a method that hands each stretch of copies to the method it belongs to."""
    spread = stacking.spread.get(name)

    def method(model: Any, *args: Any) -> Any:
        stretches = _stretches(runs, share)
        if len(stretches) == 1:
            return stretches[0][2](model, *args)
        low, high, rows = share.low, share.high, share.rows
        length = (high - low) * rows
        values: list[Any] = []
        for start, end, piece in stretches:
            part = slice((start - low) * rows, (end - low) * rows)
            share.low, share.high = start, end
            stacking.focus(model, (end - start) * rows)
            try:
                value = piece(model, *(
                    a[part] if isinstance(a, np.ndarray) and a.ndim > 1 and len(a) == length else a
                    for a in args
                ))  # fmt: skip
                values.append(spread(model, value, (end - start) * rows) if spread else value)
            except Exception:  # this variant stops; the others go on
                values.append(None)
        share.low, share.high = low, high
        stacking.focus(model, length)
        lengths = [(end - start) * rows for start, end, _ in stretches]
        example = next(v for v in values if v is not None)
        if isinstance(example, (tuple, list)):
            several = [v if isinstance(v, (tuple, list)) and len(v) == len(example)
                       else [None] * len(example) for v in values]  # fmt: skip
            return tuple(_joined(list(each), lengths) for each in zip(*several, strict=True))
        return _joined(values, lengths)

    return method


def _joined(values: list[Any], lengths: list[int]) -> Array:
    """Join the shares along the batch; one that does not fit the most is NaN."""
    count: dict[tuple[int, ...], int] = {}
    shapes: list[tuple[int, ...] | None] = []
    for v, n in zip(values, lengths, strict=True):
        shape = np.shape(v)
        shapes.append(shape[1:] if shape[:1] == (n,) else None)
        if shape[:1] == (n,):
            count[shape[1:]] = count.get(shape[1:], 0) + n
    usual = max(count, key=lambda shape: count[shape])
    return np.concatenate([
        v if shape == usual else np.full((n, *usual), np.nan)
        for v, shape, n in zip(values, shapes, lengths, strict=True)
    ])  # fmt: skip


def _column(
    name: str, runs: tuple[list[int], list[Any]], share: _Share, stacking: Stacking
) -> property:
    """Return a number that differs between copies, as a column beside (batch, position, 1)."""
    own = f"_own_{name}"

    def get(model: Any) -> Any:
        if own in model.__dict__:
            return model.__dict__[own]
        stretches = _stretches(runs, share)
        if len(stretches) == 1:
            return stretches[0][2]
        return np.repeat(
            [piece for _, _, piece in stretches],
            [(end - start) * share.rows for start, end, _ in stretches],
        )[:, None, None]

    return property(
        get,
        lambda model, value: model.__dict__.__setitem__(own, value),
        lambda model: model.__dict__.pop(own),
    )
