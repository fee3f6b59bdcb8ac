"""Replies that are none: they cost their exercise, and neither the judge nor another exercise."""

import random
import struct
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from course_lib.grading.settings import Limits, Settings
from course_lib.grading.wire import FRAME, BadMessage, decode, encode, frame_size
from tests.grading.attacks.forged import FIND
from tests.grading.core.judged import cell_of, checked, hidden, judged, public, scores, solution

VALUES = (
    None, True, 7, -(10**50), 0.5, float("nan"), 2 + 1j, "text\ud800", b"bytes", [1, [2, [3]]],
    (1, "two", None), {3, 4}, frozenset({5}), {"k": 1, "v": [2]}, {1: "one", (2, 3): {4}}, range(5),
    Fraction(-3, 7), Decimal("1.25"), Decimal("NaN"), np.float32(0.5), np.datetime64("2026-01-01"),
    np.arange(6).reshape(2, 3), np.asfortranarray(np.eye(3)), np.arange(10.0)[::2],
    np.array(["ab", "c"]), np.zeros((0, 3)), np.array(1), np.array([1 + 2j]),
)  # fmt: skip
REPLIES = [encode({"value": value, "outputs": []}) for value in VALUES] + [
    encode({"names": {"f": ("function", 3, None), "x": ("value", 4, [0.5])}}),
    encode({"error": {"kinds": ["builtins.ValueError"], "text": "t", "where": [["cell a", 1]]}}),
    encode({"refused": "a generator", "outputs": [{"output_type": "stream", "text": "x"}]}),
]
# Entries that say what cannot be, by the tag under which a value of that kind stands.
IMPOSSIBLE = (
    b'{"m": "abc"}', b'{"m": "1e99999999"}', b'{"m": "sNaN"}', b'{"m": ""}', b'{"m": 1.5}',
    b'{"f": [1, 0]}', b'{"f": [1.5, 2]}', b'{"f": [1]}', b'{"f": []}', b'{"f": {}}',
    b'{"r": [0, 1, 0]}', b'{"r": [0, 1e9, 1]}', b'{"r": ["a", 1, 1]}',
    b'{"r": [0, 9' + b"9" * 30 + b", 1]}", b'{"c": ["x", 1]}', b'{"c": [NaN, Infinity]}',
    b'{"c": 1}', b'{"n": ["<f8", "zz"]}', b'{"n": ["<f8", ""]}', b'{"n": ["O", "00"]}',
    b'{"n": ["(1,", "00"]}', b'{"n": ["i4,(2", "00"]}', b'{"n": []}',
    b'{"a": ["<f8", [-1], "C", true]}', b'{"a": ["<f8", [1e3], "C", true]}',
    b'{"a": ["<f8", [NaN], "C", true]}', b'{"a": ["<f8", [99999999999999999999], "C", true]}',
    b'{"a": ["<f8", [0, 99999999999999999999], "C", true]}', b'{"a": ["<f8", [], "S", 7]}',
    b'{"a": ["<f8", "abc", "C", true]}', b'{"a": ["V8", [1], "C", true]}', b'{"a": ["<f8"]}',
    b'{"a": ["M8[0s]", [0], "C", true]}', b'{"a": ["M8[99999999999999999999s]", [0], "C", 1]}',
    b'{"a": ["U99999999999", [0], "C", true]}', b'{"a": [7, [0], "C", true]}', b'{"a": null}',
    b'{"b": -1}', b'{"b": 1e3}', b'{"b": "1"}', b'{"b": 999999999999}', b'{"t": 1}', b'{"t": {}}',
    b'{"s": [[1]]}', b'{"s": [{"d": []}]}', b'{"z": "abc"}', b'{"k": ["a"], "v": []}',
    b'{"k": [1], "v": [2]}', b'{"k": 1, "v": [2]}', b'{"k": ["a"]}', b'{"d": 1}', b'{"d": [[1]]}',
    b'{"d": [[[], 1]]}', b'{"d": ["abc"]}', b'{"d": [[{"m": "sNaN"}, 1]]}', b'{"q": 1}',
    b'{"_": 1}', b'{"": 1}', b"{}", b'{"\\ud800": 1}', b'{"__": 1}', b"-" + b"9" * 5000, b"1e400",
    b"-Infinity", b"[" * 50 + b"]" * 50, b"[" * 5000 + b"]" * 5000,
    b'{"t": ' * 200 + b"[]" + b"}" * 200, b"[[[", b"", b"nul", b'"\\ud8', b"\xff\xfe", b"[1,]",
)  # fmt: skip


def framed(head, body=b""):
    return FRAME.pack(len(head), len(body)) + head + body


def mutated(reply, rng):
    """Return a reply with something wrong about it."""
    data = bytearray(reply)
    head = FRAME.unpack_from(data)[0]
    way = rng.randrange(8)
    if way == 0:  # bits
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif way == 1:  # bits of the head's text
        for _ in range(rng.randrange(1, 4)):
            data[FRAME.size + rng.randrange(head)] ^= 1 << rng.randrange(8)
    elif way == 2:  # cut off
        del data[rng.randrange(len(data)) :]
    elif way == 3:  # other lengths
        sizes = [0, 1, 2**31, 2**32 - 1, head, head + 1, max(head - 1, 0)]
        bodies = [0, 1, 2**40, 2**63, 2**64 - 1]
        struct.pack_into("<IQ", data, 0, rng.choice(sizes), rng.choice(bodies))
    elif way == 4:  # more than there should be
        data += bytes(rng.randrange(1, 50))
    elif way == 5:  # a number or a word in the head made another
        words = [b"NaN", b"Infinity", b"-1", b"1e999", b"9" * 40, b'"x"', b"null", b"[]", b"{}"]
        text = bytes(data[FRAME.size : FRAME.size + head])
        places = [at for at, byte in enumerate(text) if chr(byte).isdigit()] or [0]
        at = rng.choice(places)
        text = text[:at] + rng.choice(words) + text[at + 1 :]
        return framed(text, bytes(data[FRAME.size + head :]))
    elif way == 6:  # noise
        return framed(rng.randbytes(rng.randrange(60)), rng.randbytes(rng.randrange(9)))
    else:  # an entry that cannot be
        return framed(b'{"k": ["value"], "v": [' + rng.choice(IMPOSSIBLE) + b"]}")
    return bytes(data)


def test_mutated_messages_are_refused_as_such_and_at_once():
    rng = random.Random(20261)
    refused = sound = 0
    for _ in range(6000):
        message = mutated(rng.choice(REPLIES), rng)
        start = time.monotonic()
        try:
            if len(message) >= FRAME.size:
                frame_size(message[: FRAME.size], 2**26)
            decode(message)
        except BadMessage as error:
            why = str(error)
            refused += why.isprintable() and len(why) < 200
        else:
            sound += 1
        assert time.monotonic() - start < 1, message[:100]
    assert refused + sound == 6000
    assert refused > 3000


@pytest.mark.parametrize("entry", IMPOSSIBLE, ids=lambda entry: repr(entry[:30]))
def test_an_impossible_entry_is_refused_or_a_plain_value(entry):
    try:
        decode(framed(b'{"k": ["value"], "v": [' + entry + b"]}"))
    except BadMessage:
        return
    assert entry in (
        *(b'{"m": "sNaN"}', b'{"c": [NaN, Infinity]}', b"1e400", b"-Infinity"),
        *(b"[" * 50 + b"]" * 50, b'{"a": ["<f8", [], "S", 7]}', b'{"z": "abc"}'),
    ), entry


# ---------------------------------------------------------------- whole gradings

LIMITS = Settings(limits=Limits(cpu_seconds=0.5, wall_seconds=0.6, judge_seconds=60))
FORGING = (
    FIND
    + """
import os
honest = type(side).reply
def reply(self, request):
    function = self.objects[request["number"]] if request["do"] == "call" else None
    answer = honest(self, request)
    return FORGED.get(getattr(function, "__name__", ""), answer)
type(side).reply = reply
"""
)
FIRST = [
    solution("first", "def g(x):\n    return x + 1"),
    checked("t_first", hidden("assert g(1) == 2")),
]
LAST = [
    solution("last", "def h(x):\n    return x + 2"),
    checked("t_last", hidden("assert h(1) == 3 and g(2) == 3")),
]


def graded_with(replies):
    """Grade a notebook in which as many functions answer with these bytes."""
    names = [f"f{number}" for number in range(len(replies))]
    right = "\n".join(f"def {name}(x):\n    return x" for name in names)
    tests = [checked(f"t_{name}", hidden(f"assert {name}(7) == 7")) for name in names]
    forged = f"FORGED = {dict(zip(names, replies, strict=True))!r}\n{FORGING}\n{right}"
    cells = [*FIRST, solution("a", right), *tests, *LAST]
    return judged(cells, {"a": forged}, LIMITS), [f"t_{name}" for name in names]


def assert_no_harm(result, names):
    assert not [remark.text for remark in result.remarks if remark.kind == "broke_off"]
    assert scores(result)["t_first"] == scores(result)["t_last"] == 1
    for name in names:
        cell = cell_of(result, name)
        assert "out of time" not in cell.reason
        assert cell.limit in ("crash", "wall time", "result size", "")
        assert cell.score == 0 or cell.status == "passed"


@pytest.mark.parametrize("seed", range(10))
def test_mutated_replies_cost_their_own_exercise_alone(either_wall, seed):
    rng = random.Random(seed)
    replies = [mutated(rng.choice(REPLIES), rng) for _ in range(12)]
    start = time.monotonic()
    assert_no_harm(*graded_with(replies))
    assert time.monotonic() - start < 12 * 2 * LIMITS.limits.wall_seconds + 10


def test_impossible_entries_cost_their_own_exercise_alone(either_wall):
    replies = [framed(b'{"k": ["value"], "v": [' + entry + b"]}") for entry in IMPOSSIBLE]
    result, names = graded_with(replies)
    assert_no_harm(result, names)
    limits = [cell_of(result, name).limit for name in names]
    assert limits.count("crash") > 50
    assert "no answer" in public(result)


def test_a_reply_that_is_none_is_told_in_plain_words():
    """Where nothing is hidden, the rule is told too."""
    for reply, rule in (
        (b'{"k": ["value"], "v": [{"m": "abc"}]}', "InvalidOperation"),
        (b"7", "no record"), (b'{"q": 1}', "an unknown kind of value 'q'"),
    ):  # fmt: skip
        cells = [solution("a", "def f(x):\n    return x"), checked("t", "assert f(7) == 7")]
        forged = f"FORGED = {{'f': {framed(reply)!r}}}\n{FORGING}\ndef f(x):\n    return x"
        cell = cell_of(judged(cells, {"a": forged}), "t")
        assert cell.limit == "crash"
        assert "answered with what is no answer" in cell.reason
        assert rule in cell.reason
