"""The random stream: published vectors, a plain twin that draws one number at a time, moments."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import RustlabRandom
from course_lib.rustlab_random import (
    chacha12_blocks,
    chacha_key,
    half_open_unit,
    open_unit,
    signed_unit,
    ziggurat_tables,
)

SEEDS = [0, 1, 14, 2**32, 2**63 + 12345, 2**64 - 1]
R = 3.654152885361008796  # where the tail begins


# ---------------------------------------------------------------- a twin in plain integers


def plain_quarter_round(x, a, b, c, d):
    for sum_to, add, flip, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[sum_to] = (x[sum_to] + x[add]) % 2**32
        mixed = x[flip] ^ x[sum_to]
        x[flip] = (mixed << turn | mixed >> (32 - turn)) % 2**32


def plain_chacha(key_words, last_four, rounds):
    """RFC 8439, section 2.3: 16 words from a key of 8 and the 4 words of counter and nonce."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key_words, *last_four]
    x = list(start)
    for _ in range(rounds // 2):
        for i in range(4):
            plain_quarter_round(x, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            plain_quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return [(a + b) % 2**32 for a, b in zip(x, start, strict=True)]


def plain_chacha_block(key_words, counter):
    """ChaCha12 with the original 64-bit counter and the 64-bit stream number 0."""
    return plain_chacha(key_words, [counter % 2**32, counter >> 32, 0, 0], rounds=12)


def plain_integers(key_words):
    for counter in itertools.count():
        words = plain_chacha_block(key_words, counter)
        for low, high in zip(words[::2], words[1::2], strict=True):
            yield low + (high << 32)


def fast_integers(seed):
    """The same integers from the vectorised blocks, which another test compares with the plain."""
    for first in itertools.count(0, 4096):
        yield from chacha12_blocks(chacha_key(seed), first, 4096).tolist()


def plain_normals(integers, happened):
    """Marsaglia & Tsang's ziggurat for both signs at once, one number at a time."""
    edges, density = (table.tolist() for table in ziggurat_tables())
    while True:
        bits = next(integers)
        layer = bits % 256
        u = (bits >> 12) / 2**51 - 1
        x = u * edges[layer]
        if abs(x) < edges[layer + 1]:
            happened["inside"] += 1
            yield x
        elif layer == 0:
            happened["tail"] += 1
            while True:
                along = math.log(((next(integers) >> 12) * 2 + 1) / 2**53) / R
                below = math.log(((next(integers) >> 12) * 2 + 1) / 2**53)
                if -2 * below >= along**2:
                    break
                happened["tail again"] += 1
            yield along - R if u < 0 else R - along
        else:
            share = (next(integers) >> 11) / 2**53
            rim = density[layer + 1] + (density[layer] - density[layer + 1]) * share
            if rim < math.exp(-x * x / 2):
                happened["rim"] += 1
                yield x
            else:
                happened["rejected"] += 1


def new_count():
    return dict.fromkeys(("inside", "tail", "tail again", "rim", "rejected"), 0)


# ---------------------------------------------------------------- key and bits


@pytest.mark.parametrize("seed", SEEDS)
def test_key_is_the_pcg32_stream_of_the_seed(seed):
    state, words = seed, []
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) % 2**64
        mixed = (((state >> 18) ^ state) >> 27) % 2**32
        for _ in range(state >> 59):  # rotate right, a bit at a time
            mixed = mixed >> 1 | (mixed & 1) << 31
        words.append(mixed)
    assert chacha_key(seed).tolist() == words


def test_published_chacha12_vector_of_the_zero_key():
    expected = (
        "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f"
        "0564f879d27ae3c02ce82834acfa8c793a629f2ca0de6919610be82f411326be"
    )
    got = chacha12_blocks(np.zeros(8, dtype=np.uint32), 0, 1)
    assert got.astype("<u8").tobytes().hex() == expected
    plain = plain_chacha_block([0] * 8, 0)
    assert np.array(plain, dtype="<u4").tobytes().hex() == expected


def test_the_plain_twin_gives_the_block_of_rfc_8439():
    key = np.frombuffer(bytes(range(32)), dtype="<u4").tolist()
    words = plain_chacha(key, [1, 0x09000000, 0x4A000000, 0], rounds=20)
    assert " ".join(f"{word:08x}" for word in words) == (
        "e4e7f110 15593bd1 1fdd0f50 c47120a3 c7f4d1c7 0368c033 9aaa2204 4e6cd4c3 "
        "466482d2 09aa9f07 05d7c214 a2028bd9 d19c12b5 b94e16de e883d0cb 4e3c50a2"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_equal_plain_chacha(seed):
    key = chacha_key(seed)
    got = chacha12_blocks(key, 0, 40).tolist()
    assert got == list(itertools.islice(plain_integers(key.tolist()), 320))


@pytest.mark.parametrize("first", [2**32 - 2, 2**40 - 1, 2**63 - 2, 2**64 - 4])
def test_block_counter_has_64_bits(first):
    key = chacha_key(14)
    got = chacha12_blocks(key, first, 4).reshape(4, 8).tolist()
    for i in range(4):
        words = plain_chacha_block(key.tolist(), first + i)
        assert got[i] == [
            low + (high << 32) for low, high in zip(words[::2], words[1::2], strict=True)
        ]


def test_blocks_of_any_number_join_seamlessly():
    key = chacha_key(14)
    whole = chacha12_blocks(key, 0, 20)
    pieces = [chacha12_blocks(key, a, b - a) for a, b in [(0, 1), (1, 8), (8, 8), (8, 20)]]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


# ---------------------------------------------------------------- tables and units


def test_every_layer_of_the_ziggurat_has_the_same_area():
    x, f = ziggurat_tables()
    area = 0.00492867323399
    assert len(x) == len(f) == 257
    assert (np.diff(x) < 0).all()
    # layers 1 to 255 are rectangles [0, x_i] between the heights at x_i and x_{i+1}
    np.testing.assert_allclose(x[1:256] * np.diff(f)[1:256], area, rtol=1e-9)
    # the bottom layer: a rectangle of width r, and the tail
    tail = math.sqrt(math.pi / 2) * math.erfc(R / math.sqrt(2))
    assert x[1] == R
    assert R * f[1] + tail == pytest.approx(area, rel=1e-9)
    assert x[0] * f[1] == pytest.approx(area, rel=1e-12)
    np.testing.assert_allclose(f, np.exp(-x * x / 2), rtol=0, atol=1e-16)


def test_tables_hold_the_published_numbers_to_the_last_bit():
    x, f = ziggurat_tables()
    published_x = {
        0: 3.910757959537090045, 1: 3.654152885361008796, 2: 3.449278298560964462,
        3: 3.320244733839166074, 41: 2.272108990226823888, 64: 2.025713947862032960,
        128: 1.535342571438843118, 192: 1.096106627847603487, 253: 0.335737519180459465,
        254: 0.286174591747260509, 255: 0.215241895913273806, 256: 0.0,
    }  # fmt: skip
    published_f = {
        0: 0.000477467764586655, 1: 0.001260285930498598, 2: 0.002609072746106363,
        3: 0.004037972593371872, 4: 0.005522403299264754, 16: 0.025705804008632656,
        64: 0.128508722280473636, 128: 0.307697412505553769, 192: 0.548413963257921133,
        254: 0.959879091812415930, 255: 0.977101701282731328, 256: 1.0,
    }  # fmt: skip
    assert {i: float(x[i]) for i in published_x} == published_x
    assert {i: float(f[i]) for i in published_f} == published_f


def test_units_at_the_ends_of_their_intervals():
    top = 2**64 - 1
    signed = signed_unit(np.array([0, 2**63, top], dtype=np.uint64))
    assert signed.tolist() == [-1.0, 0.0, 1 - 2.0**-51]
    assert (open_unit(0), open_unit(top)) == (2.0**-53, 1 - 2.0**-53)
    assert (half_open_unit(0), half_open_unit(top)) == (0.0, 1 - 2.0**-53)


# ---------------------------------------------------------------- the stream


def test_the_stream_equals_a_plain_one_from_first_integer_to_last():
    happened = new_count()
    twin = plain_normals(plain_integers(chacha_key(14).tolist()), happened)
    got = RustlabRandom(14).randn(1, 20_011)[0]
    assert got.tolist() == list(itertools.islice(twin, 20_011))


@pytest.mark.parametrize("seed", SEEDS)
def test_long_streams_drawn_in_odd_pieces_equal_the_plain_twin(seed):
    happened = new_count()
    twin = plain_normals(fast_integers(seed), happened)
    random = RustlabRandom(seed)
    pieces = [(1, 1), (1, 7), (0, 5), (3, 37), (1, 63), (1, 64), (1, 65), (9, 1), (211, 503)]
    pieces += [(1, 2)] * 50 + [(1, 12_345)]
    for m, n in pieces:
        got = random.randn(m, n)
        assert got.shape == (m, n)
        expected = list(itertools.islice(twin, m * n))
        assert got.ravel().tolist() == expected, (seed, m, n)
    # every path was taken: the tail about once in 3,700 draws
    assert min(happened[path] for path in ("inside", "tail", "rim", "rejected")) > 5, happened


def test_a_tail_that_rejects_a_hundred_times_in_a_row():
    far, high = 0, 2**64 - 1  # -log(u) huge and almost nothing: never under the curve
    into_the_tail = [0xFFFFFFFFFFFFF << 12, 0]  # layer 0, x at the right and at the left end
    crafted = [into_the_tail[0], *[far, high] * 100, 2**63, 2**62]
    crafted += [into_the_tail[1], *[far, high] * 100, 2**63, 2**62]
    random = RustlabRandom(3)
    random._bits = np.array(crafted, dtype=np.uint64)
    happened = new_count()
    twin = plain_normals(itertools.chain(crafted, fast_integers(3)), happened)
    expected = list(itertools.islice(twin, 1000))
    assert random.randn(1, 1000)[0].tolist() == expected
    assert happened["tail again"] >= 200
    assert expected[0] > R
    assert expected[1] < -R


@pytest.mark.parametrize("pairs", [100, 5000])
def test_a_tail_that_uses_up_all_that_was_drawn(pairs):
    crafted = [0xFFFFFFFFFFFFF << 12, *[0, 2**64 - 1] * pairs]
    random = RustlabRandom(3)
    random._bits = np.array(crafted, dtype=np.uint64)
    twin = plain_normals(itertools.chain(crafted, fast_integers(3)), new_count())
    got = [random.randn(1, n)[0] for n in (1, 1, 300)]
    assert np.concatenate(got).tolist() == list(itertools.islice(twin, 302))


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**64 - 1),
    pieces=st.lists(st.integers(0, 700), min_size=1, max_size=12),
)
def test_pieces_join_to_the_whole(seed, pieces):
    random = RustlabRandom(seed)
    got = np.concatenate([random.randn(1, n)[0] for n in pieces])
    np.testing.assert_array_equal(got, RustlabRandom(seed).randn(1, sum(pieces))[0])


def test_rows_are_filled_one_after_the_other():
    flat = RustlabRandom(14).randn(1, 12)[0]
    np.testing.assert_array_equal(RustlabRandom(14).randn(3, 4), flat.reshape(3, 4))


def test_an_empty_matrix_uses_nothing():
    random = RustlabRandom(14)
    assert random.randn(0, 5).shape == (0, 5)
    assert random.randn(5, 0).shape == (5, 0)
    np.testing.assert_array_equal(random.randn(2, 2), RustlabRandom(14).randn(2, 2))


def test_two_streams_of_one_seed_do_not_disturb_each_other():
    one, two = RustlabRandom(5), RustlabRandom(5)
    first = one.randn(1, 100)
    np.testing.assert_array_equal(two.randn(1, 100), first)
    first[...] = 0
    assert (one.randn(1, 100) == two.randn(1, 100)).all()


# ---------------------------------------------------------------- are they normal?


def test_a_million_draws_have_the_moments_and_the_shape_of_a_normal():
    n = 1_000_000
    x = RustlabRandom(2024).randn(1, n)[0]
    assert abs(x.mean()) < 4 / math.sqrt(n)
    assert abs((x**2).mean() - 1) < 4 * math.sqrt(2 / n)
    assert abs((x**3).mean()) < 4 * math.sqrt(15 / n)
    assert abs((x**4).mean() - 3) < 4 * math.sqrt(96 / n)
    for cut in (0.215, 1.0, 2.0, 3.0, R, 4.2):
        p = math.erfc(cut / math.sqrt(2))
        assert abs((np.abs(x) > cut).mean() - p) < 4 * math.sqrt(p / n), cut
    # Kolmogorov-Smirnov: 1.95 / √n is passed once in a thousand
    x.sort()
    at = x[::500]
    below = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in at.tolist()])
    assert np.abs(below - np.arange(0, n, 500) / n).max() < 1.95 / math.sqrt(n)
    # neighbours know nothing of one another
    y = RustlabRandom(2025).randn(1, n)[0]
    assert abs((y[1:] * y[:-1]).mean()) < 4 / math.sqrt(n)


def test_all_weights_of_the_lesson_are_drawn_far_faster_than_half_a_second():
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        RustlabRandom(14).randn(1, 203_008)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.5


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("seed", "error", "words"),
    [
        (-1, ValueError, "seed must be between 0 and 18446744073709551615, got -1"),
        (2**64, ValueError, "got 18446744073709551616"),
        (14.0, TypeError, "seed must be an integer, got 14.0 of type float"),
        ("14", TypeError, "got '14' of type str"),
        (True, TypeError, "got True of type bool"),
        (None, TypeError, "got None"),
        (np.array(14), TypeError, "an array of shape ()"),
        (float("nan"), TypeError, "got nan"),
    ],
)
def test_bad_seeds(seed, error, words):
    with pytest.raises(error) as refused:
        RustlabRandom(seed)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "seed", [np.int8(14), np.int64(14), np.uint8(14), np.uint64(14)], ids=lambda s: s.dtype.name
)
def test_numpy_integers_are_seeds(seed):
    np.testing.assert_array_equal(RustlabRandom(seed).randn(2, 2), RustlabRandom(14).randn(2, 2))


@pytest.mark.parametrize(
    ("m", "n", "error", "words"),
    [
        (-1, 2, ValueError, "m must be at least 0, got -1"),
        (2, -3, ValueError, "n must be at least 0, got -3"),
        (2.0, 2, TypeError, "m must be an integer"),
        (2, (2,), TypeError, "n must be an integer, got (2,) of type tuple"),
        (True, 2, TypeError, "m must be an integer"),
    ],
)
def test_bad_sizes(m, n, error, words):
    with pytest.raises(error) as refused:
        RustlabRandom(14).randn(m, n)
    assert words in str(refused.value)


def test_repr_says_what_it_is():
    random = RustlabRandom(14)
    random.randn(10, 10)
    assert repr(random).startswith("RustlabRandom(")
