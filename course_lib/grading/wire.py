"""Plain values as bytes: what crosses between the judge and a student's code, and nothing else.

This file stands on its own (NumPy and the standard library): both sides use it. A message is a
head in JSON and the bytes of its arrays. Only exact plain types are rebuilt, from their parts;
nothing is ever unpickled, and no object of the other side arrives.

    None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, range,
    Fraction, Decimal, arrays and scalars of NumPy that hold numbers, booleans, text of fixed
    length or dates

What is based on one of Python's own arrives as that: a named tuple as a tuple, a Counter or a
defaultdict as a dict, a member of an IntEnum as an int. Arrays keep their memory order and their
read-only flag. What is not plain raises `NotPlain` where it is sent.
"""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

MAX_DEPTH = 60
MAX_ITEMS = 2_000_000
MAX_HEAD = 64 * 2**20
MAX_MARKS = 8 * MAX_ITEMS  # commas and brackets of a head: what it costs to parse
MAX_EMPTY = 2**28  # elements of an array without any, were its empty axes 1 long
REBUILD_SECONDS = 10.0  # keys can be chosen so that a dict takes hours
LOOK_EVERY = 2000  # keys
KINDS = "biufcUSmM"  # of dtypes: booleans, numbers, text, bytes, times
LONGEST_ITEM = 4096  # bytes of one element
LARGEST_INT = 10**4000
MAX_EXPONENT = 4000  # of a decimal number: made a whole number it must not fill the memory
FRAME = struct.Struct("<IQ")  # bytes of the head, bytes of the arrays

C_ORDER, F_ORDER, STRIDED = "C", "F", "S"


class NotPlain(TypeError):
    """A value that cannot cross; the text says what it is."""


class BadMessage(ValueError):
    """Bytes that are no message of this protocol, or one beyond the limits."""


def encode(value: Any, limit: int = 2**31) -> bytes:
    """Return the message for a plain value.

    Raises:
        NotPlain: it holds something that is not plain, is nested too deeply, or is too large.
    """
    packer = _Packer(limit)
    try:
        head = json.dumps(packer.pack(value, 0), ensure_ascii=True, check_circular=False).encode()
    except RecursionError:
        raise NotPlain("nested too deeply") from None
    if len(head) + packer.size > limit:
        raise NotPlain(f"larger than {limit:,} bytes")
    return b"".join([FRAME.pack(len(head), packer.size), head, *packer.buffers])


def frame_size(start: bytes, limit: int) -> int:
    """Return how many bytes follow the first `FRAME.size` bytes of a message.

    Raises:
        BadMessage: more than the limit.
    """
    head, body = FRAME.unpack(start)
    if head > MAX_HEAD or head + body > limit:
        raise BadMessage(f"a message of {head + body:,} bytes, the limit is {limit:,}")
    return int(head + body)


def decode(message: bytes | bytearray) -> Any:
    """Return the value of one whole message, rebuilt from exact types.

    Raises:
        BadMessage: the bytes are no message.
    """
    if len(message) < FRAME.size:
        raise BadMessage("the message is cut off")
    head_size, body_size = FRAME.unpack_from(message)
    start = FRAME.size + head_size
    if len(message) != start + body_size:
        raise BadMessage("the message is cut off")
    text = bytes(message[FRAME.size : start])
    if sum(map(text.count, (b",", b"[", b"{"))) > MAX_MARKS:
        raise BadMessage("a message of too many items")
    try:
        head = json.loads(text)
        return _Unpacker(memoryview(message)[start:]).unpack(head, 0)
    except (BadMessage, MemoryError):
        raise
    except Exception as error:  # Decimal, NumPy and others have kinds of their own
        raise BadMessage(f"no message of this protocol ({type(error).__name__})") from None


# ---------------------------------------------------------------- one way


class _Packer:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.buffers: list[bytes] = []
        self.size = 0
        self.items = 0

    def pack(self, value: Any, depth: int) -> Any:
        """Return what stands for the value in the head."""
        kind = type(value)
        if value is None or kind is bool or kind is float or kind is str:
            return value
        if kind is int:
            if abs(value) >= LARGEST_INT:
                raise NotPlain("a whole number of more than 4,000 digits")
            return value
        self.items += 1
        if depth > MAX_DEPTH:
            raise NotPlain("nested too deeply")
        pack = _PACK.get(kind)
        if pack is not None:
            return pack(self, value, depth + 1)
        if isinstance(value, np.generic) and kind.__module__ == "numpy":
            array = np.asarray(value)
            self._require_kind(array.dtype)
            return {"n": [array.dtype.str, array.tobytes().hex()]}
        for base, exact in _EXACT:
            if isinstance(value, base):
                return self.pack(exact(value), depth)
        raise NotPlain(described(kind))

    def all(self, values: Any, depth: int) -> list[Any]:
        """Pack every value of a sequence."""
        packed = [self.pack(value, depth) for value in values]
        self.items += len(packed)
        if self.items > MAX_ITEMS:
            raise NotPlain(f"made of more than {MAX_ITEMS:,} items")
        return packed

    def bytes(self, value: bytes) -> int:
        """Take bytes along; return how many."""
        self.size += len(value)
        if self.size > self.limit:
            raise NotPlain(f"larger than {self.limit:,} bytes")
        self.buffers.append(value)
        return len(value)

    def array(self, value: Any, depth: int) -> dict[str, Any]:
        """Take an array along."""
        self._require_kind(value.dtype)
        if value.size * value.itemsize + self.size > self.limit:
            raise NotPlain(f"an array of shape {value.shape}, larger than {self.limit:,} bytes")
        order = C_ORDER
        if not value.flags.c_contiguous:
            order = F_ORDER if value.flags.f_contiguous else STRIDED
        raw = value.tobytes("F" if order == F_ORDER else "C")
        self.bytes(raw)
        return {"a": [value.dtype.str, list(value.shape), order, bool(value.flags.writeable)]}

    @staticmethod
    def _require_kind(dtype: Any) -> None:
        if dtype.kind not in KINDS or dtype.itemsize > LONGEST_ITEM or dtype.subdtype is not None:
            raise NotPlain(f"an array of dtype {str(dtype)[:60]}")


def _dict(packer: _Packer, value: Any, depth: int) -> dict[str, Any]:
    items = list(dict.items(value))
    if all(type(key) is str for key, _ in items):
        return {"k": [key for key, _ in items], "v": packer.all((v for _, v in items), depth)}
    pairs = [[packer.pack(key, depth), packer.pack(item, depth)] for key, item in items]
    packer.items += 2 * len(pairs)
    return {"d": pairs}


def _number(value: complex) -> list[float]:
    return [value.real, value.imag]


def _digits(value: Decimal) -> str:
    if value.is_finite() and abs(value.adjusted()) > MAX_EXPONENT:
        raise NotPlain(f"a number with an exponent beyond {MAX_EXPONENT:,}")
    return str(value)


def _bounds(value: range) -> list[int]:
    if _is_long(value):
        raise NotPlain(f"a range of more than {MAX_ITEMS:,} numbers")
    return [value.start, value.stop, value.step]


def _is_long(value: range) -> bool:
    return bool(value[MAX_ITEMS:])


_PACK: dict[type, Callable[[_Packer, Any, int], Any]] = {
    list: lambda packer, value, depth: packer.all(value, depth),
    tuple: lambda packer, value, depth: {"t": packer.all(value, depth)},
    set: lambda packer, value, depth: {"s": packer.all(value, depth)},
    frozenset: lambda packer, value, depth: {"z": packer.all(value, depth)},
    bytes: lambda packer, value, depth: {"b": packer.bytes(value)},
    complex: lambda packer, value, depth: {"c": _number(value)},
    range: lambda packer, value, depth: {"r": _bounds(value)},
    Fraction: lambda packer, value, depth: {
        "f": packer.all([value.numerator, value.denominator], depth)
    },
    Decimal: lambda packer, value, depth: {"m": packer.pack(_digits(value), depth)},
    np.ndarray: _Packer.array,
    dict: _dict,
}

# Of a class that is based on one of these, the base's own part crosses, by the base's own methods.
_EXACT: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, complex.__complex__),
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (list, lambda value: list(list.__iter__(value))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
)


def described(kind: type) -> str:
    """Return the name of a type, for a sentence: "a generator", "a Fraction"."""
    name = str(getattr(kind, "__name__", "thing"))[:60]
    return f"a {name}"


# ---------------------------------------------------------------- the other way


class _Unpacker:
    def __init__(self, body: memoryview) -> None:
        self.body = body
        self.at = 0
        self.items = 0
        self.deadline = time.monotonic() + REBUILD_SECONDS

    def unpack(self, head: Any, depth: int) -> Any:
        """Rebuild the value that stands in the head."""
        if head is None or isinstance(head, bool | int | float | str):
            return head
        if depth > MAX_DEPTH + 2:
            raise BadMessage("nested too deeply")
        if isinstance(head, list):
            return self._all(head, depth + 1)
        tag = next(iter(head), "")
        rebuild = getattr(self, f"_{tag}", None) if len(tag) == 1 else None
        if rebuild is None:
            raise BadMessage(f"an unknown kind of value {tag!r:.20}")
        return rebuild(head[tag], depth + 1, head)

    def take(self, size: int) -> memoryview:
        """Return the next bytes of the body."""
        if type(size) is not int or size < 0 or self.at + size > len(self.body):
            raise BadMessage("an array beyond the message's end")
        self.at += size
        return self.body[self.at - size : self.at]

    def _all(self, items: Any, depth: int) -> list[Any]:
        if not isinstance(items, list):
            raise BadMessage("a list was expected")
        self.items += len(items) + 1
        if self.items > 2 * MAX_ITEMS:
            raise BadMessage("a message of too many items")
        return [self.unpack(item, depth) for item in items]

    def _hashed(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield what goes into a set or a dict, as long as that does not take too long."""
        for number, value in enumerate(values):
            if number % LOOK_EVERY == 0 and time.monotonic() > self.deadline:
                raise BadMessage("keys that take too long")
            yield value

    def _t(self, items: Any, depth: int, _: Any) -> tuple[Any, ...]:
        return tuple(self._all(items, depth))

    def _s(self, items: Any, depth: int, _: Any) -> set[Any]:
        return set(self._hashed(self._all(items, depth)))

    def _z(self, items: Any, depth: int, _: Any) -> frozenset[Any]:
        return frozenset(self._hashed(self._all(items, depth)))

    def _k(self, keys: Any, depth: int, head: Any) -> dict[str, Any]:
        values = self._all(head["v"], depth)
        if not all(type(key) is str for key in keys):
            raise BadMessage("a key was expected")
        return dict(zip(keys, values, strict=True))

    def _d(self, pairs: Any, depth: int, _: Any) -> dict[Any, Any]:
        self.items += 2 * len(pairs)
        each = ((self.unpack(key, depth), self.unpack(item, depth)) for key, item in pairs)
        return dict(self._hashed(each))

    def _b(self, size: Any, depth: int, _: Any) -> bytes:
        return bytes(self.take(size))

    def _c(self, parts: Any, depth: int, _: Any) -> complex:
        real, imaginary = parts
        return complex(float(real), float(imaginary))

    def _r(self, parts: Any, depth: int, _: Any) -> range:
        start, stop, step = parts
        found = range(start, stop, step)
        if _is_long(found):
            raise BadMessage("a range of too many numbers")
        return found

    def _f(self, parts: Any, depth: int, _: Any) -> Fraction:
        above, below = parts
        if type(above) is not int or type(below) is not int or below < 1:
            raise BadMessage("a fraction without whole numbers")
        return Fraction(above, below)

    def _m(self, digits: Any, depth: int, _: Any) -> Decimal:
        if type(digits) is not str or len(digits) > MAX_EXPONENT:
            raise BadMessage("a decimal number that is too long")
        value = Decimal(digits)
        if value.is_finite() and abs(value.adjusted()) > MAX_EXPONENT:
            raise BadMessage("a decimal number with too large an exponent")
        return value

    def _n(self, parts: Any, depth: int, _: Any) -> Any:
        dtype = _dtype(parts[0])
        raw = bytes.fromhex(parts[1])
        if len(raw) != dtype.itemsize:
            raise BadMessage("a number of the wrong size")
        return np.frombuffer(raw, dtype)[0] if raw else dtype.type()

    def _a(self, parts: Any, depth: int, _: Any) -> Any:
        name, shape, order, writeable = parts
        dtype = _dtype(name)
        if len(shape) > 32 or any(type(n) is not int or n < 0 for n in shape):
            raise BadMessage("an array without a shape")
        count = math.prod(shape)
        empty = 0 if count else math.prod(n or 1 for n in shape)
        if (count and not dtype.itemsize) or empty > MAX_EMPTY:
            raise BadMessage("an array of more elements than bytes")
        raw = self.take(count * dtype.itemsize)
        memory_order = "F" if order == F_ORDER else "C"
        given = np.frombuffer(raw, dtype, count) if len(raw) else np.empty(count, dtype)
        given = given.reshape(shape, order=memory_order)  # type: ignore[call-overload]
        if order == STRIDED:
            wide = np.empty([*shape[:-1], 2 * shape[-1]], dtype)  # gaps along the last axis
            fresh = wide[..., ::2]
            fresh[...] = given
        else:
            fresh = given.copy(order=memory_order)
        fresh.flags.writeable = bool(writeable)
        return fresh


def _dtype(name: Any) -> Any:
    if type(name) is not str or len(name) > 20:
        raise BadMessage("an unknown dtype")
    dtype = np.dtype(name)
    if dtype.kind not in KINDS or dtype.itemsize > LONGEST_ITEM or dtype.subdtype is not None:
        raise BadMessage("an unknown dtype")
    if dtype.kind in "mM" and np.datetime_data(dtype)[1] < 1:
        raise BadMessage("times in steps of nothing")  # NumPy divides by them
    return dtype
