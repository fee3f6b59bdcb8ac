"""The random stream of Lesson 14: ChaCha12 bits turned into normals by a ziggurat.

The lesson's source draws its weights with Rust's `rand` 0.8 (`StdRng` seeded by one integer).
This file draws the same numbers in NumPy, so that every printed value can be checked.
The lessons call `RustlabRandom(14).randn(m, n)`; nothing else here is needed outside.

Three published algorithms, in the order in which the bits flow:

- key: 32 bytes from a PCG32 stream (O'Neill, 2014), as `rand_core` 0.6 `seed_from_u64` does;
- bits: ChaCha with 12 rounds (Bernstein, 2008), 64-bit block counter from 0, stream 0;
- normals: the ziggurat with 256 layers (Marsaglia & Tsang, 2000), constants of `rand_distr` 0.4.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
from numpy.typing import NDArray

from course_lib.validation import require_int

Words = NDArray[np.uint32]
Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]

# ---------------------------------------------------------------- key: one integer -> 32 bytes

PCG_MULTIPLIER = 6364136223846793005
PCG_INCREMENT = 11634580027462260723


def chacha_key(seed: int) -> Words:
    """Return the eight 32-bit key words that one integer seed, 0 <= seed < 2**64, stands for."""
    state, key = seed, []
    for _ in range(8):
        state = (state * PCG_MULTIPLIER + PCG_INCREMENT) % 2**64
        word = (((state >> 18) ^ state) >> 27) % 2**32
        turn = state >> 59  # the top five bits say how far the output word is rotated
        key.append((word >> turn | word << (32 - turn)) % 2**32)
    return np.array(key, dtype=np.uint32)


# ---------------------------------------------------------------- bits: key -> 64-bit integers

BLOCK_BITS = 8  # 64-bit integers in one 16-word ChaCha block
QUARTER_ROUNDS = (  # four columns, then four diagonals: one double round
    ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)),
    ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)),
)


def rotate_left(words: Words, turn: int) -> Words:
    """Rotate every 32-bit word to the left by `turn` bits."""
    return words << np.uint32(turn) | words >> np.uint32(32 - turn)


def chacha12_blocks(key: Words, first: int, count: int) -> Bits:
    """Return `count` ChaCha12 blocks from block number `first` on, as 8 integers a block.

    All blocks are computed side by side: row i of the state holds word i of every block.
    """
    counter = np.arange(first, first + count, dtype=np.uint64)
    state = np.zeros((16, count), dtype=np.uint32)
    state[:4] = np.frombuffer(b"expand 32-byte k", dtype="<u4")[:, None]
    state[4:12] = key[:, None]
    state[12] = counter & np.uint64(0xFFFFFFFF)
    state[13] = counter >> np.uint64(32)  # rows 14 and 15 are the stream number, 0

    x = state.copy()
    for _ in range(6):
        for quarters in QUARTER_ROUNDS:
            for a, b, c, d in quarters:
                x[a] += x[b]
                x[d] = rotate_left(x[d] ^ x[a], 16)
                x[c] += x[d]
                x[b] = rotate_left(x[b] ^ x[c], 12)
                x[a] += x[b]
                x[d] = rotate_left(x[d] ^ x[a], 8)
                x[c] += x[d]
                x[b] = rotate_left(x[b] ^ x[c], 7)
    x += state
    words = x.T.astype(np.uint64)  # (count, 16), in stream order
    return (words[:, 0::2] | words[:, 1::2] << np.uint64(32)).reshape(-1)


# ---------------------------------------------------------------- normals: integers -> N(0, 1)

TAIL_START = 3.654152885361008796  # r, where the bottom layer's tail begins
LAYER_AREA = 0.00492867323399  # v, the area of each of the 256 layers


@cache
def ziggurat_tables() -> tuple[Floats, Floats]:
    """Return the right edges x_0 > x_1 > … > x_256 = 0 of the layers and exp(-x²/2) at each.

    Each step is rounded to a float64 once (`decimal` rounds exp and ln correctly), and the
    densities are published with 18 decimals, so the tables are the published ones to the last
    bit, whatever the machine's own exp and log do.
    """
    with localcontext() as context:
        context.prec = 40

        def density(x: float) -> float:
            return float(Decimal(-x * x / 2).exp())

        def inverse_density(y: float) -> float:
            return math.sqrt(-2 * float(Decimal(y).ln()))

        edges = [LAYER_AREA / density(TAIL_START), TAIL_START]
        for _ in range(2, 256):
            edges.append(inverse_density(LAYER_AREA / edges[-1] + density(edges[-1])))
        edges.append(0.0)
        return np.array(edges), np.array([float(f"{density(x):.18f}") for x in edges])


def signed_unit(bits: Bits) -> Floats:
    """Turn the top 52 bits of each integer into a float in [-1, 1)."""
    return ((bits >> np.uint64(12)) | np.uint64(0x4000000000000000)).view(np.float64) - 3.0


def open_unit(bits: int) -> float:
    """Turn the top 52 bits of one integer into a float strictly between 0 and 1."""
    return ((bits >> 12) + 0.5) * 2.0**-52


def half_open_unit(bits: int) -> float:
    """Turn the top 53 bits of one integer into a float in [0, 1)."""
    return (bits >> 11) * 2.0**-53


class RustlabRandom:
    """A stream of standard normals, equal to the source's `seed(n)` followed by `randn`.

    Args:
        seed: an integer, 0 <= seed < 2**64.

    Raises:
        TypeError: the seed is no integer.
        ValueError: the seed does not fit into 64 bits.

    Successive calls of `randn` go on in the same stream, as they do in the source.
    """

    def __init__(self, seed: int) -> None:
        require_int("seed", seed, low=0, high=2**64 - 1)
        self._key = chacha_key(int(seed))
        self._next_block = 0
        self._bits = np.empty(0, dtype=np.uint64)  # drawn from ChaCha, not yet used

    def randn(self, m: int, n: int) -> Floats:
        """Return an (m, n) matrix of standard normals, filled row by row.

        Raises:
            TypeError, ValueError: m or n is no integer, or is negative.
        """
        require_int("m", m, low=0)
        require_int("n", n, low=0)
        return self._normals(int(m) * int(n)).reshape(int(m), int(n))

    def _normals(self, count: int) -> Floats:
        """Return `count` normals.

        99 of 100 integers become a normal by one multiplication and one comparison: these are
        done for all at once. Only the others (a layer's rim, the tail) are walked one by one.
        """
        edges, density = ziggurat_tables()
        out = np.empty(count)
        self._refill(count)
        layer, x, inside = self._propose(edges)
        slow = np.flatnonzero(~inside)
        used = filled = 0  # integers consumed, normals written
        while filled < count:
            # the run of easy integers up to the next difficult one
            place = int(np.searchsorted(slow, used))
            stop = int(slow[place]) if place < len(slow) else len(x)
            run = max(0, min(stop - used, count - filled))
            out[filled : filled + run] = x[used : used + run]
            used, filled = used + run, filled + run
            if filled == count:
                break
            if used + 64 > len(x):  # too few left to settle a difficult one: draw more
                self._bits = self._bits[used:]
                used = 0
                self._refill(count - filled + 64)
                layer, x, inside = self._propose(edges)
                slow = np.flatnonzero(~inside)
                continue
            value, used = self._settle(used, int(layer[used]), float(x[used]), edges, density)
            if value is not None:
                out[filled] = value
                filled += 1
        self._bits = self._bits[used:]
        return out

    def _propose(self, edges: Floats) -> tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]:
        """Read every waiting integer as a layer and a point in it; say which points are safe."""
        layer = (self._bits & np.uint64(0xFF)).astype(np.intp)
        x = signed_unit(self._bits) * edges[layer]
        return layer, x, np.abs(x) < edges[layer + 1]

    def _settle(
        self, used: int, layer: int, x: float, edges: Floats, density: Floats
    ) -> tuple[float | None, int]:
        """Decide a point that is not surely under the curve.

        Returns the normal, or None where the point is rejected, and how far the stream is used.
        """
        used += 1
        if layer > 0:  # the rim of a layer: accept with the curve's share of it
            rim = density[layer + 1] + (density[layer] - density[layer + 1]) * half_open_unit(
                int(self._bits[used])
            )
            return (x if rim < math.exp(-x * x / 2) else None), used + 1
        while True:  # the tail beyond r (Marsaglia, 1964): two exponentials until one is under it
            if used + 2 > len(self._bits):
                self._refill(len(self._bits) + 64)
            along = math.log(open_unit(int(self._bits[used]))) / TAIL_START
            below = math.log(open_unit(int(self._bits[used + 1])))
            used += 2
            if -2 * below >= along * along:
                return (along - TAIL_START if x < 0 else TAIL_START - along), used

    def _refill(self, wanted: int) -> None:
        """Draw whole ChaCha blocks until at least `wanted` integers (and some spare) wait."""
        missing = wanted + wanted // 50 + 64 - len(self._bits)
        if missing > 0:
            blocks = -(-missing // BLOCK_BITS)
            fresh = chacha12_blocks(self._key, self._next_block, blocks)
            self._next_block += blocks
            self._bits = np.concatenate([self._bits, fresh])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(at block {self._next_block} of its ChaCha12 stream)"
