"""Choose the next token from logits: the likeliest, or a draw from what temperature and cuts leave.

A draw is a race: token i gets the time E_i / p_i, with E_i from an exponential distribution, and
the first one wins, which happens with probability p_i. In logarithms: the largest of
logit_i / temperature - ln E_i wins. Unlike a walk along the cumulated probabilities, the race
has a margin, by how much the winner won; so one can tell when rounding might have decided it.
`generation.py` needs that to give the same tokens with a cache as without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from course_lib.layers import Array, softmax
from course_lib.validation import require_int, require_number


@dataclass(frozen=True)
class Sampling:
    """How to choose.

    Args:
        temperature: logits are divided by it; 0 is the greedy choice, the likeliest token.
        top_k: only the k likeliest tokens (and those as likely as the k-th) take part.
        top_p: only the likeliest tokens that together reach this probability take part, in
            (0, 1]; the one that reaches it included. With top_k a token must pass both, each of
            them measured on the whole distribution.

    Source: top-k Fan et al. (2018), section 5.4; top-p Holtzman et al. (2020), section 3.1.

    Raises:
        TypeError, ValueError: a number of another kind, or out of its range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if require_number("temperature", self.temperature) < 0:
            raise ValueError(f"temperature must be 0 (greedy) or above, got {self.temperature}")
        if self.top_k is not None:
            require_int("top_k", self.top_k)
        if not 0 < require_number("top_p", self.top_p) <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, got {self.top_p}")

    @property
    def greedy(self) -> bool:
        """Whether no dice are thrown."""
        return self.temperature == 0


GREEDY = Sampling(temperature=0)


def race_times(rng: np.random.Generator, B: int, V: int) -> Array:
    """Draw what the race needs, -ln E: float64 (B, V), the same however it is cut afterwards."""
    with np.errstate(divide="ignore"):  # E = 0 wins the race
        times: Array = -np.log(rng.standard_exponential((B, V)))
    return times


def choose(
    logits: Array, sampling: Sampling, race: Array | None = None, doubt: float = 0.0
) -> tuple[int, bool]:
    """Choose a token by its logits (V,); say whether that choice is beyond doubt.

    Args:
        logits: the scores of the V tokens.
        sampling: how to choose.
        race: a row of `race_times`, (V,); not used by the greedy choice.
        doubt: how far each logit may be off.

    Returns:
        The token (the lowest id of equals), and True if any logits within `doubt` of these give
        the same.
    """
    z = logits.astype(np.float64)
    if sampling.greedy:
        return _winner(z, 2 * doubt)
    if race is None:
        raise ValueError("race must be given for a draw: a row of race_times(rng, B, V)")
    z /= sampling.temperature
    doubt /= sampling.temperature
    cut, low, high = _cuts(z, sampling, doubt)
    in_race = np.where(z >= cut, z + race, -np.inf)
    token, clear = _winner(in_race, 2 * doubt)
    if not doubt:
        return token, clear
    # Tokens near the cut may be in or out. All of them in: the same must win, and it must be
    # one that is in for sure.
    loose = np.where(z >= low, z + race, -np.inf)
    return token, bool(z[token] > high) and _winner(loose, 2 * doubt) == (token, True)


def probabilities(logits: Array, sampling: Sampling) -> Array:
    """Return with which probability each token is chosen: float64 (V,), summing to 1."""
    z = logits.astype(np.float64)
    if sampling.greedy:
        certain: Array = (np.arange(len(z)) == z.argmax()).astype(np.float64)
        return certain
    z /= sampling.temperature
    cut, _, _ = _cuts(z, sampling, 0.0)
    return softmax(np.where(z >= cut, z, -np.inf))


def _winner(scores: Array, margin: float) -> tuple[int, bool]:
    """Return the place of the largest score, and whether it leads by more than `margin`."""
    best = int(scores.argmax())
    lead = scores[best] - max(scores[:best].max(initial=-np.inf),
                              scores[best + 1 :].max(initial=-np.inf))  # fmt: skip
    return best, bool(lead > margin)


def _cuts(z: Array, sampling: Sampling, doubt: float) -> tuple[float, float, float]:
    """Return the scores from which tokens take part, below which surely none, above which all do.

    A logit that is off by `doubt` moves two tokens past each other by 2·doubt, and changes the
    share of any set of tokens by a factor of at most exp(2·doubt).
    """
    cut = low = high = -np.inf
    k = sampling.top_k
    if k is not None and k < len(z):
        outside, cut = np.partition(z, [-k - 1, -k])[[-k - 1, -k]]  # the best one out, the last in
        low, high = cut - 2 * doubt, outside + 2 * doubt
    if sampling.top_p < 1:
        order = np.sort(z)[::-1]  # (V,), falling
        share = np.exp(order - order[0])
        share = np.cumsum(share / share.sum())

        def last_in(p: float) -> int:
            return min(int(np.searchsorted(share, p)), len(z) - 1)

        cut = max(cut, order[last_in(sampling.top_p)])
        slack = math.exp(2 * doubt) * (1 + 1e-12)  # 1e-12 for the rounding of the sum itself
        low = max(low, order[last_in(sampling.top_p * slack)] - 2 * doubt)
        outside = order[last_in(sampling.top_p / slack) + 1 :].max(initial=-np.inf)
        high = max(high, outside + 2 * doubt)
    return float(cut), float(low), float(high)
