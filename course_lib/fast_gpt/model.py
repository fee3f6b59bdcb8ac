"""GPT-2 as in `course_lib.gpt`, arranged for speed: the same logits to rounding.

    model = FastGPT(P, n_head=12)
    model(idx)                       # as gpt_logits(P, idx, n_head=12)

What makes it fast, with the ratio that each idea gave (GPT-2 small, one or two AVX-512 cores):

- memory is kept from call to call, and products write into it (`inplace_layers`);
- causal attention in blocks computes half of the scores (`blocked_attention`);
- Python threads share a pass (`team`): attention by heads, products by rows where a member gets
  256 of them, else by columns. By rows they meet twice a block, by columns seven times; but each
  packs all weights for BLAS, which with few rows to multiply costs more than the meetings. By rows
  a pass takes 0.97 (float32) and 0.94 (float64) of its time by columns at 1024 rows, 0.96 and
  0.95 at 512, 1.03 and 0.99 at 256, 1.05 at 128 (float32);
- a few rows, the next token of a text above all, are left to the threads of BLAS: a token then
  takes 0.7 of the time of one thread;
- all is float32 where the parameters are: the constants are Python floats.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_lib.fast_gpt.blocked_attention import QUERY_BLOCK, attend_in_blocks, attend_last
from course_lib.fast_gpt.inplace_layers import GELU_CHUNK, add_bias_and_gelu, layer_norm_into
from course_lib.fast_gpt.kv_cache import KVCache
from course_lib.fast_gpt.team import Member, blas_threads, run_team
from course_lib.gpt_parameters import Params, require_finite, require_parameters
from course_lib.layers import Array, causal_mask
from course_lib.validation import Ids, describe, require_heads, require_ids, require_int

# Sequences of a batch go through the blocks together up to this many rows: beyond, products
# gain nothing and the memory in use grows.
ROWS_AT_ONCE = 1024
# Fewer rows than this are left to the threads of BLAS. A single row is bounded by reading the
# weights: two threads of BLAS take 0.66 to 0.74 of the time of one, a team of two 0.9 to 1.3, since
# it meets seven times a block. At 16 rows of GPT-2 small the two are even; on a small model
# (d = 128, L = 2) a team takes 2 to 5 times as long for few rows. The threads of BLAS wait by
# spinning: where other programs keep the cores busy, they take 2 to 5 times as long as a team.
ROWS_FOR_A_TEAM = 16
# With this many rows or more for each member, a team shares products by rows, else by columns.
ROWS_FOR_A_MEMBER = 256

ALL = slice(None)


class FastGPT:
    """GPT-2 with parameters P, ready to compute logits and to continue texts.

    Args:
        P: the parameters, as for `gpt_logits`. They are used where they are, not copied (only
            an array of an unusual memory layout is): do not change them while the model lives.
        n_head: the number of attention heads h.
        threads: how many threads share a pass; by default as many as BLAS uses. At most h of
            them find work.

    The memory that a pass works in stays with the model, about 9·d numbers for each of the
    1024 or T rows worked on at once. Calls from several threads wait for one another.

    Raises:
        KeyError, TypeError, ValueError: as `gpt_logits`.
    """

    def __init__(self, P: Params, n_head: int, threads: int | None = None) -> None:
        self.V, self.T_max, self.d = require_parameters(P)
        self.n_head = require_heads(self.d, n_head)
        self.threads = blas_threads() if threads is None else require_int("threads", threads)
        top = {name: _for_blas(value) for name, value in P.items() if name != "blocks"}
        blocks = [{name: _for_blas(value) for name, value in b.items()} for b in P["blocks"]]
        self.P: Params = {**top, "blocks": blocks}
        self.dtype = self.P["wte"].dtype
        self._mask = causal_mask(QUERY_BLOCK, self.dtype)
        self._zeros = np.zeros(self.V, self.dtype)
        self._longest_row = _longest_row(self.P["wte"])
        self._memory: dict[str, Array] = {}
        self._lock = threading.Lock()

    # ------------------------------------------------------------ what one calls

    def __call__(self, idx: ArrayLike, out: Array | None = None) -> Array:
        """Return the logits (B, T, V) of ids (B, T); arguments and errors as `gpt_logits`.

        `out`, if given, is where they are written, and what is returned: the array of an earlier
        call, say. New memory has to be fetched from the system first: 206 MB in float32 for
        1024 tokens. That takes 0.03 of the time of the pass if the system has it at hand, and
        0.3 on a virtual machine that gives unused memory back to its host.
        """
        ids = require_ids("idx", idx, vocabulary=self.V, ndim=2, max_T=self.T_max)
        B, T = ids.shape
        logits = np.empty((B, T, self.V), self.dtype) if out is None else out
        if out is not None:
            _require_out(out, (B, T, self.V), self.dtype)
        at_once = max(1, ROWS_AT_ONCE // T)
        for start in range(0, B, at_once):
            group = slice(start, start + at_once)
            self._forward(ids[group], logits[group].reshape(-1, self.V))
        return logits

    def next_logits(self, idx: ArrayLike) -> Array:
        """Return the logits (B, V) of the last position of ids (B, T), and of no other."""
        ids = require_ids("idx", idx, vocabulary=self.V, ndim=2, max_T=self.T_max)
        logits = np.empty((len(ids), self.V), self.dtype)
        self._forward(ids, logits)
        return logits

    def new_cache(self, B: int = 1, capacity: int | None = None) -> KVCache:
        """Return an empty cache for B sequences of up to `capacity` tokens (T_max by default).

        Raises:
            TypeError, ValueError: a size that is no integer from 1 on, or beyond T_max.
        """
        room = self.T_max if capacity is None else capacity
        require_int("capacity", room, high=self.T_max)
        d_k = self.d // self.n_head
        return KVCache(len(self.P["blocks"]), B, self.n_head, room, d_k, self.dtype)

    def extend(self, cache: KVCache, idx: ArrayLike) -> Array:
        """Append ids (B, n) to the texts in `cache`; return the logits (B, V) after the last.

        The first call takes the prompt (prefill), the following ones a token each; any n fits.

        Raises:
            TypeError, ValueError: as `gpt_logits`; the context is full; another batch size. The
                cache is then as before.
        """
        ids = require_ids("idx", idx, vocabulary=self.V, ndim=2, max_T=None)
        cache.require_room(ids)
        logits = np.empty((len(ids), self.V), self.dtype)
        self._forward(ids, logits, cache)
        cache.length += ids.shape[1]
        return logits

    # ------------------------------------------------------------ what happens

    def _forward(self, ids: Ids, logits: Array, cache: KVCache | None = None) -> None:
        """Write the logits of all positions (B·T, V), or of the last ones (B, V)."""
        rows = ids.size
        team = self.threads if rows >= ROWS_FOR_A_TEAM else 1
        team = min(team, self.n_head)
        finite = [False] * team
        with self._lock:
            keys = ids.shape[1] + (cache.length if cache else 0)
            for name, size in {
                "x": rows * self.d, "h": rows * self.d,
                "qkv": rows * 3 * self.d, "f": rows * 4 * self.d,
                # each member's own, for GELU and for the scores
                "scratch": team * max(GELU_CHUNK, 4 * self.d, QUERY_BLOCK * keys),
            }.items():  # fmt: skip
                if name not in self._memory or self._memory[name].size < size:
                    self._memory[name] = np.empty(size, self.dtype)
            run_team(
                team,
                lambda member: self._share(member, ids, logits, cache, finite),
                blas=self.threads,
            )
        if not all(finite):
            require_finite(self.P, logits)

    @np.errstate(over="ignore", invalid="ignore")  # per thread; exp may overflow, see GELU
    def _share(
        self, member: Member, ids: Ids, logits: Array, cache: KVCache | None, finite: list[bool]
    ) -> None:
        """Compute one member's columns, heads and rows of a forward pass."""
        P, d, N = self.P, self.d, ids.size
        B, T = ids.shape
        x, h, qkv, f = (
            self._memory[name][: N * width].reshape(N, width)
            for name, width in {"x": d, "h": d, "qkv": 3 * d, "f": 4 * d}.items()
        )
        scratch = self._memory["scratch"][member.share(self._memory["scratch"].size)]
        past = cache.length if cache else 0
        positions = np.tile(np.arange(past, past + T), B)
        rows = member.share(N)
        if N // member.size >= ROWS_FOR_A_MEMBER:
            r, one, three, four = rows, ALL, ALL, ALL
        else:
            r, one, three, four = ALL, *(member.share(n * d) for n in (1, 3, 4))
        # What is needed next are others' columns of this member's rows.
        regroup = member.meet if r is ALL else _go_on

        np.add(P["wte"][ids.reshape(-1)[rows]], P["wpe"][positions[rows]], out=x[rows])
        for i, block in enumerate(P["blocks"]):
            regroup()
            layer_norm_into(h[rows], x[rows], block["ln1_g"], block["ln1_b"])
            regroup()
            np.matmul(h[r], block["w_qkv"][:, three], out=qkv[r, three])
            qkv[r, three] += block["b_qkv"][three]
            member.meet()
            self._attend(member, qkv.reshape(B, T, 3 * d), scratch, cache, i)
            member.meet()
            np.matmul(qkv[r, :d], block["w_o"][:, one], out=h[r, one])
            h[r, one] += block["b_o"][one]
            x[r, one] += h[r, one]
            regroup()
            layer_norm_into(h[rows], x[rows], block["ln2_g"], block["ln2_b"])
            regroup()
            np.matmul(h[r], block["w_fc"][:, four], out=f[r, four])
            add_bias_and_gelu(f[r, four], block["b_fc"][four], scratch)
            regroup()
            np.matmul(f[r], block["w_proj"][:, one], out=h[r, one])
            h[r, one] += block["b_proj"][one]
            x[r, one] += h[r, one]
        member.meet()

        if len(logits) < N:  # the last position of each sequence is all that is asked for
            x, h = x[T - 1 :: T], h[:B]
        rows, tokens = member.share(len(logits)), member.share(self.V)
        layer_norm_into(h[rows], x[rows], P["lnf_g"], P["lnf_b"])
        member.meet()
        np.matmul(h, P["wte"][tokens].T, out=logits[:, tokens])
        finite[member.rank] = self._cannot_overflow(h) or self._all_finite(logits, tokens)

    def _cannot_overflow(self, h: Array) -> bool:
        """Say whether no logit of h can be anything but finite: none is beyond |h|·|row|."""
        longest = math.sqrt(float(np.einsum("nd,nd->n", h, h).max()))
        return longest * self._longest_row < float(np.finfo(self.dtype).max) / 2  # False for NaN

    def _all_finite(self, logits: Array, tokens: slice) -> bool:
        """Look at every logit: 0·NaN and 0·inf are NaN, in 0.4 of the time of max() and min()."""
        return bool(np.isfinite(logits[:, tokens] @ self._zeros[tokens]).all())

    def _attend(
        self, member: Member, qkv: Array, scratch: Array, cache: KVCache | None, layer: int
    ) -> None:
        """Put this member's heads' answers in place of their queries, qkv[..., :d]."""
        (B, T, _), d, d_k = qkv.shape, self.d, self.d // self.n_head
        heads = member.share(self.n_head)
        parts = []
        for first in (0, d, 2 * d):  # queries, keys, values
            columns = slice(first + heads.start * d_k, first + heads.stop * d_k)
            parts.append(qkv[..., columns].reshape(B, T, -1, d_k).swapaxes(1, 2))
        q, k, v = parts  # views (B, h of this member, T, d_k)
        q *= 1 / math.sqrt(d_k)
        if cache is not None:
            seen = cache.length + T
            for kept, new in ((cache.keys, k), (cache.values, v)):
                kept[layer, :, heads, cache.length : seen] = new
            k, v = (kept[layer, :, heads, :seen] for kept in (cache.keys, cache.values))
        if T == 1:
            q[:, :, 0] = attend_last(q[:, :, 0], k, v)
            return
        for b in range(B):
            for head in range(q.shape[1]):
                attend_in_blocks(q[b, head], k[b, head], v[b, head], scratch, self._mask)


def _go_on() -> None:
    """Meet nobody."""


def _require_out(out: object, shape: tuple[int, ...], dtype: Any) -> None:
    """Refuse an array that the logits cannot be written to as they are."""
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype
    if not (fits and out.flags.c_contiguous and out.flags.writeable):  # type: ignore[attr-defined]
        raise ValueError(
            f"out must be a writeable array of shape {shape} and dtype {dtype} with rows in "
            f"order, got {describe(out)}"
        )


def _longest_row(table: Array) -> float:
    """Return the length of a matrix's longest row; NaN or inf where an entry is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.sqrt(float(np.einsum("vd,vd->v", table, table, dtype=np.float64).max()))


def _for_blas(a: Array) -> Array:
    """Return `a`, or a copy in rows where its layout would make each product copy it."""
    return a if a.flags.c_contiguous or a.flags.f_contiguous else np.ascontiguousarray(a)
