"""Continue texts token by token, with a cache that changes the time and never the tokens.

Logits computed with a cache differ from those computed from scratch in their last bits, since
BLAS adds in another order for one row than for many. That hardly ever changes a choice; where it
could, the step is computed from scratch instead. What holds, exactly:

- `generate(..., use_cache=True)` and `generate(..., use_cache=False)` give the same tokens for the
  same model object, prompt, sampling and seed, wherever the two logits differ by at most
  `DOUBT` times the largest logit (on GPT-2 small they differ by 1.3e-6 of it in float32 and by
  3e-15 in float64);
- equal logits are decided for the lowest id, in a draw by the race;
- another machine, BLAS or number of threads rounds in its own way and may choose otherwise
  where two tokens are that close.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from course_lib.fast_gpt.model import FastGPT
from course_lib.layers import Array
from course_lib.sampling import Sampling, choose, race_times
from course_lib.validation import Ids, require_ids, require_int

# How far a cached logit may be from the recomputed one, as a share of the largest.
DOUBT = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-12}


def generate(
    model: FastGPT,
    idx: ArrayLike,
    tokens: int,
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    seed: int = 0,
    use_cache: bool = True,
) -> Iterator[Ids]:
    """Yield the next `tokens` ids of each of B texts, one (B,) array a step.

    Args:
        model: the fast engine.
        idx: the prompts, (B, T), all of one length; T + tokens at most T_max.
        tokens: how many to add to each.
        sampling: how each is chosen.
        seed: the same seed makes the same draws, for any cuts and temperature.
        use_cache: False computes each step from scratch: the same tokens, T times the work.

    Raises:
        TypeError, ValueError: bad ids or numbers, or a text that would outgrow the context:
            positions beyond it have no row in wpe, and a window that slides would give every
            token a new position. All before the first step.
    """
    ids = require_ids("idx", idx, vocabulary=model.V, ndim=2, max_T=model.T_max)
    room = model.T_max - ids.shape[1]
    if require_int("tokens", tokens) > room:
        raise ValueError(
            f"the context is full after {room} more tokens: idx holds {ids.shape[1]} of "
            f"{model.T_max} positions, and tokens = {tokens} do not fit; ask for at most {room}, "
            "or keep only the last part of the prompt"
        )
    return _steps(model, ids, tokens, sampling, require_int("seed", seed, low=0), use_cache)


def _steps(
    model: FastGPT, ids: Ids, tokens: int, sampling: Sampling, seed: int, use_cache: bool
) -> Iterator[Ids]:
    B, T = ids.shape
    rng = np.random.default_rng(seed)
    cache = model.new_cache(B, T + tokens - 1 or 1) if use_cache else None
    new = ids
    for _ in range(tokens):
        race = None if sampling.greedy else race_times(rng, B, model.V)
        if cache is None:
            chosen, _ = choose_each(model.next_logits(ids), sampling, race)
        else:
            logits = model.extend(cache, new)
            doubt = DOUBT[model.dtype] * float(np.abs(logits).max())
            chosen, clear = choose_each(logits, sampling, race, doubt)
            if not clear:
                chosen, _ = choose_each(model.next_logits(ids), sampling, race)
        new = chosen[:, None]
        ids = np.concatenate([ids, new], axis=1)  # (B, T + 1)
        yield chosen


def choose_each(
    logits: Array, sampling: Sampling, race: Array | None, doubt: float = 0.0
) -> tuple[Ids, bool]:
    """Choose for each of B texts; say whether every choice is beyond doubt."""
    rows: list[Array | None] = [None] * len(logits) if race is None else list(race)
    picks = [choose(z, sampling, r, doubt) for z, r in zip(logits, rows, strict=True)]
    return np.array([token for token, _ in picks]), all(clear for _, clear in picks)
