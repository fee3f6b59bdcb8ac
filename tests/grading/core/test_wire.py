"""Plain values cross unchanged; nothing else crosses; no bytes do harm."""

import collections
import contextlib
import datetime as dt
import decimal
import enum
import fractions
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from course_lib.grading.wire import FRAME, BadMessage, NotPlain, decode, encode, frame_size

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters())
    | st.binary()
)
ARRAYS = hnp.arrays(
    st.sampled_from(["?", "<i4", ">i8", "u1", "<f4", "<f8", "<f2", "c16", "<U3", "S2"]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3),
)
KEYS = st.text(max_size=5) | st.integers() | st.tuples(st.integers(), st.text(max_size=2))
VALUES = st.recursive(
    SCALARS | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.frozensets(st.integers(), max_size=4)
        | st.sets(st.text(max_size=2), max_size=4)
    ),
    max_leaves=12,
)


def same(one, other):
    """Compare two values, types and NaN included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
            and one.flags.c_contiguous == other.flags.c_contiguous
            and one.flags.writeable == other.flags.writeable
        )
    if isinstance(one, np.generic):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float | complex):
        return repr(one) == repr(other)
    return one == other


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_plain_values_come_back_as_they_were(value):
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize("order", ["C", "F", "strided", "read-only"])
def test_an_array_keeps_its_memory_order_and_its_flag(order):
    array = np.asarray(np.arange(24.0).reshape(4, 6), order="F" if order == "F" else "C")
    if order == "strided":
        array = array[::2, ::3]
    array.flags.writeable = order != "read-only"
    back = decode(encode(array))
    assert np.array_equal(back, array)
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE"):
        assert back.flags[flag] == array.flags[flag]


def test_relatives_of_plain_types_arrive_as_these():
    point = collections.namedtuple("point", "x y")
    assert decode(encode(point(1, 2))) == (1, 2)
    for made in (collections.Counter("aab"), collections.OrderedDict(a=2, b=1)):
        assert type(decode(encode(made))) is dict
    assert type(decode(encode(np.float32(1.5)))) is np.float32


class Liar(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Colour(enum.IntEnum):
    RED = 1


class Hiding(list):
    def __iter__(self):
        return iter(["what it likes"])


@pytest.mark.parametrize(
    ("value", "plain"), [(Liar(3), 3), (Colour.RED, 1), (Hiding([1, 2]), [1, 2])]
)
def test_what_is_based_on_a_plain_type_arrives_as_that_and_decides_nothing(value, plain):
    back = decode(encode([value]))[0]
    assert type(back) is type(plain)
    assert back == plain
    assert back != "anything else"


@pytest.mark.parametrize(
    "value",
    [fractions.Fraction(-1, 3), decimal.Decimal("0.10"), decimal.Decimal("NaN")],
    ids=str,
)
def test_exact_numbers_cross(value):
    back = decode(encode({"x": value}))["x"]
    assert type(back) is type(value)
    assert str(back) == str(value)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (object(), "object"),
        (decimal.Decimal("1e9999"), "exponent"),
        (dt.timedelta(1), "timedelta"),
        (np.array([None]), "dtype object"),
        (np.zeros(2, [("a", "f8")]), "dtype"),
        (np.ma.array([1.0]), "MaskedArray"),
        (np.zeros((2, 2)).view(np.matrix), "matrix"),
        ((x for x in ()), "generator"),
        ({}.keys(), "dict_keys"),
        (len, "builtin_function"),
        (10**5000, "4,000 digits"),
        (np.broadcast_to(1.0, (10**5, 10**5)), "larger than"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_nothing_else_crosses_and_the_error_says_what_it_was(value, named):
    for nested in (value, [value], {"a": (value,)}):
        with pytest.raises(NotPlain, match=named):
            encode(nested, limit=2**20)


def test_deep_nesting_is_refused_on_both_ways():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(NotPlain, match="nested too deeply"):
        encode(deep)
    head = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(BadMessage):
        decode(FRAME.pack(len(head), 0) + head)


@pytest.mark.parametrize(
    "head",
    [
        b"", b"{", b"{}", b'{"x": 1}', b'{"a": 3}', b'{"a": ["<f8", [3], "C", true]}',
        b'{"a": ["<f8", [-1], "C", true]}', b'{"a": ["O", [1], "C", true]}',
        b'{"a": ["<f8", [9999999999999], "C", true]}', b'{"a": ["f8,f8", [0], "C", true]}',
        b'{"b": 5}', b'{"b": -1}', b'{"b": 1e9}', b'{"t": 1}', b'{"t": null}', b'{"s": [[]]}',
        b'{"d": [[1]]}', b'{"d": [[[], 1]]}', b'{"k": [1], "v": [1]}', b'{"k": ["a"], "v": []}',
        b'{"k": ["a"]}', b'{"r": [1, 2, 0]}', b'{"r": ["a", 1, 1]}', b'{"c": [1]}',
        b'{"n": ["<f8", "00"]}', b'{"n": ["O", "00"]}', b'{"n": ["<f8", "zz"]}', b'{"_": 1}',
        b'{"unpack": 1}', b'{"body": 1}', b"1" * 5000,
    ],
)  # fmt: skip
def test_forged_messages_are_refused(head):
    with pytest.raises(BadMessage):
        decode(FRAME.pack(len(head), 0) + head)


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_value_or_are_refused(raw):
    for message in (raw, FRAME.pack(len(raw), 0) + raw):
        with contextlib.suppress(BadMessage):
            decode(message)


def test_a_message_beyond_the_limit_is_refused_before_it_is_read():
    assert frame_size(struct.pack("<IQ", 10, 20), 30) == 30
    with pytest.raises(BadMessage, match="the limit is 29"):
        frame_size(struct.pack("<IQ", 10, 20), 29)
    with pytest.raises(BadMessage):
        frame_size(struct.pack("<IQ", 2**32 - 1, 0), 2**40)
