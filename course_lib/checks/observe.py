"""Call a student's function once, on plain data, and write down what happened.

This file stands on its own (NumPy and the standard library), because it runs wherever the
student's code runs: in the notebook, in a child process, or on the far side of a wall that
cannot import the rest of this package (there `told` is called).
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import linecache
import math
import os
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np

MAX_DEPTH = 8
BITS = 1023  # of an integer that a float can hold
GLOBAL_GENERATOR = "NumPy's global random generator"


@dataclass(frozen=True)
class StudentError:
    """An exception in the student's code: its type and text, and the student's own line."""

    kind: str
    text: str
    line_number: int | None = None
    line: str = ""
    file: str = ""


@dataclass(frozen=True)
class Outcome:
    """What one call did.

    value: what came back, copied, made of plain types only; None if there was an error.
    refused: why the value is not plain data, or "".
    changed: the arguments that are not what they were before, as expressions (P['wte']), and
        GLOBAL_GENERATOR if the call drew from it or seeded it.
    shared: two arrays of a returned dict that lie in the same memory, as expressions, or ().
    steps: how many lines of the student's code were executed, if asked for and seen.
    """

    value: Any = None
    error: StudentError | None = None
    refused: str = ""
    changed: tuple[str, ...] = ()
    steps: int | None = None
    shared: tuple[str, ...] = ()


class NotPlainError(TypeError):
    """A value that is no plain data."""


def observe(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    count_steps: bool = False,
) -> Outcome:
    """Call function(*args, **kwargs) on copies of the arguments; never raises for the student."""
    given, named = own_copy(args), own_copy(kwargs or {})
    counter = StepCounter() if count_steps else None
    before = _global_generator()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            with counter or contextlib.nullcontext():
                returned = function(*given, **named)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit and RecursionError are the student's too
        return Outcome(error=describe_error(error), changed=_changes(args, given, kwargs, named))
    steps = counter.steps if counter else None
    changed = _changes(args, given, kwargs, named)
    if _global_generator() != before:
        changed = (*changed, GLOBAL_GENERATOR)
    try:
        value = plain(returned)
    except NotPlainError as error:
        return Outcome(refused=str(error), changed=changed, steps=steps)
    shared = shared_memory(returned) if isinstance(returned, dict) else ()
    scribble(returned)
    return Outcome(value=value, changed=changed, steps=steps, shared=shared)


def told(
    function: Callable[..., Any], args: Any, kwargs: Any, count_steps: bool = False
) -> dict[str, Any]:
    """Return an `Outcome` as plain data, for a caller in another process."""
    outcome = observe(function, tuple(args), dict(kwargs), count_steps)
    return asdict(outcome)


def _global_generator() -> tuple[bytes, int]:
    """Return the state of the generator behind np.random.seed and np.random.randn."""
    state: Any = np.random.get_state(legacy=True)  # noqa: NPY002
    return state[1].tobytes(), state[2]


def shared_memory(returned: Any) -> tuple[str, ...]:
    """Return the places of the first two arrays in a nested result that share memory, or ()."""
    found: list[tuple[str, Any]] = []

    def collect(where: str, value: Any) -> None:
        if type(value) is np.ndarray and value.size:
            found.append((where, value))
        elif isinstance(value, (dict, list, tuple)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in items:
                collect(f"{where}[{key!r}]", item)

    collect("", returned)
    found = found[:200]  # no student needs more, and pairs are many
    for n, (where, one) in enumerate(found):
        for other, two in found[n + 1 :]:
            if np.may_share_memory(one, two) and np.shares_memory(one, two):
                return where, other
    return ()


def scribble(returned: Any) -> None:
    """Overwrite what was returned, as its owner may: a function must not hand out its memory."""
    if isinstance(returned, np.ndarray):
        if returned.flags.writeable:
            returned[...] = 113
    elif isinstance(returned, (list, tuple, dict)):
        for item in returned.values() if isinstance(returned, dict) else returned:
            scribble(item)


def plain(value: Any, depth: int = 0) -> Any:
    """Return a copy of `value` in exact built-in types and plain arrays.

    Raises:
        NotPlainError: a subclass (of ndarray, int, …), an object array, an integer that no float
            can hold, or anything else.
    """
    kind = type(value)
    if depth > MAX_DEPTH:
        raise NotPlainError("it is nested too deeply")
    if kind is int and value.bit_length() > BITS:
        raise NotPlainError("an integer beyond all floats")
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is np.ndarray:
        if value.dtype.kind not in "biuf":
            of = value.dtype.type.__name__.rstrip("_")  # not its width, which could tell a number
            raise NotPlainError(f"an array of dtype {of}; it must hold real numbers")
        return np.array(value, copy=True, order="C")
    if (
        isinstance(value, np.generic)
        and kind.__module__ == "numpy"
        and kind(0).dtype.kind in "biuf"
    ):
        return value.item() if value.dtype.itemsize <= 8 else float(value)
    if kind is list:
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, tuple):  # a NamedTuple is as good
        return tuple(plain(item, depth + 1) for item in tuple.__iter__(value))
    if isinstance(value, dict):
        return {plain(k, depth + 1): plain(v, depth + 1) for k, v in dict.items(value)}
    raise NotPlainError(f"a {kind.__module__}.{kind.__qualname__}".replace("builtins.", ""))


# ---------------------------------------------------------------- the arguments


def own_copy(value: Any) -> Any:
    """Copy arguments for one call, keeping strides and read-only flags of arrays."""
    if isinstance(value, np.ndarray):
        fresh = (
            np.empty(tuple(2 * n for n in value.shape), value.dtype)[
                tuple(slice(None, None, 2) for _ in value.shape)
            ]
            if not value.flags.forc
            else np.empty_like(value)
        )
        fresh[...] = value
        fresh.flags.writeable = value.flags.writeable
        return fresh
    if isinstance(value, dict):
        return {key: own_copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(own_copy(item) for item in value)
    return copy.deepcopy(value)


def _changes(args: Any, given: Any, kwargs: Any, named: Any) -> tuple[str, ...]:
    found = list(differences("", args, given)) + list(differences("", kwargs or {}, named))
    return tuple(found)


def differences(where: str, before: Any, after: Any) -> Iterator[str]:
    """Yield the place of every entry of nested arguments that is no longer what it was."""
    if isinstance(before, dict) and isinstance(after, dict):
        if before.keys() != after.keys():
            yield where
        for key in (key for key in before if key in after):
            yield from differences(f"{where}[{key!r}]", before[key], after[key])
    elif isinstance(before, (list, tuple)) and type(before) is type(after):
        if len(before) != len(after):
            yield where
        for i, (old, new) in enumerate(zip(before, after, strict=False)):
            yield from differences(f"{where}[{i}]", old, new)
    elif not _equal(before, after):
        yield where


def _equal(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        same_form = before.shape == after.shape and before.dtype == after.dtype
        return same_form and np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    return type(before) is type(after) and bool(before == after)


# ---------------------------------------------------------------- the student's lines


@functools.cache
def is_library(filename: str) -> bool:
    """Say whether a file belongs to Python, to an installed package or to this course."""
    if filename.startswith("<frozen"):
        return True
    if filename.startswith("<"):
        return False
    path = str(Path(filename))
    paths = sysconfig.get_paths()
    roots = [paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]]
    # Behind the wall Python runs without site, and does not know where packages are installed.
    roots.append(str(Path(np.__file__).parents[1]))
    roots += [str(parent) for parent in Path(__file__).parents if parent.name == "course_lib"]
    return path == __file__ or any(path.startswith(str(Path(root)) + os.sep) for root in roots)


def describe_error(error: BaseException) -> StudentError:
    """Reduce an exception to its type, its text and the last line of the student's own code."""
    last: tuple[int, str, str] | None = None
    trace: TracebackType | None = error.__traceback__
    for frame in traceback.extract_tb(trace):
        if not is_library(frame.filename):
            linecache.checkcache(frame.filename)
            last = (frame.lineno or 0, (frame.line or "").strip(), frame.filename)
    try:
        text = str(error)
    except Exception:  # a hostile __str__
        text = ""
    number, line, file = last or (None, "", "")
    return StudentError(type(error).__name__, text[:300], number, line, file)


class StepCounter:
    """Count what runs: every line and call of the student's frames.

    A loop over positions shows as a count that grows with T, however it is written: a `for`, a
    comprehension, recursion, a function given to `map`. What NumPy does inside is its own matter,
    but for np.vectorize and np.apply_along_axis, which are loops: their turns are counted. So are
    those of map and filter, which may call a function of C that no tracer sees.
    sys.settrace serves on every Python version; the inputs are so small that its cost is no matter.
    """

    steps: int | None = None

    def __enter__(self) -> StepCounter:
        self._count = 0
        self._before = sys.gettrace()
        self._real = {name: getattr(builtins, name) for name in ("map", "filter")}
        for name, real in self._real.items():
            setattr(builtins, name, self._counting(real))
        sys.settrace(self._on_call)
        return self

    def __exit__(self, *_: object) -> None:
        for name, real in self._real.items():
            setattr(builtins, name, real)
        if sys.gettrace() == self._on_call:  # else the student's code switched it off
            self.steps = self._count
        sys.settrace(self._before)

    def _counting(self, real: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def counted(*args: Any, **kwargs: Any) -> Iterator[Any]:
            found = real(*args, **kwargs)
            library = is_library(sys._getframe(1).f_code.co_filename)  # noqa: SLF001
            return found if library else self._each(found)

        return counted

    def _each(self, values: Iterator[Any]) -> Iterator[Any]:
        for value in values:
            self._count += 1
            yield value

    def _on_call(self, frame: FrameType, event: str, arg: object) -> Any:
        if is_library(frame.f_code.co_filename):
            self._count += turns(frame)
            return None
        self._count += 1
        return self._on_line

    def _on_line(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self._count += 1
        return self._on_line


def turns(frame: FrameType) -> int:
    """Return how often np.vectorize or np.apply_along_axis will call its function; else 0."""
    name, given = frame.f_code.co_name, frame.f_locals
    if name.startswith("_vectorize_call"):
        return max((int(np.size(a)) for a in given.get("args", ())), default=0)
    if name == "apply_along_axis" and np.size(given["arr"]):
        shape: tuple[int, ...] = np.shape(given["arr"])
        return math.prod(shape) // shape[given["axis"]] if shape else 0
    return 0
