"""Closed formulas for GPT-2 in the lessons' symbols; each equals a sum over the tensor list.

V vocabulary, T context, d width, L blocks; the MLP is 4d wide. All arguments are whole numbers of
at least 1 (TypeError and ValueError otherwise).
"""

from fractions import Fraction
from math import ceil

from course_lib.validation import require_int


def count_gpt2_params(V: int, T: int, d: int, L: int, tied: bool = True, bias: bool = True) -> int:
    """Count GPT-2's parameters exactly: Vd + Td + L(12d² + 13d) + 2d.

    tied=False adds the head's own Vd (no bias). bias=False drops all biases, those of the layer
    norms too, whose gains stay: L(12d² + 2d) + d.
    """
    V, T, d, L = _sizes(V=V, T=T, d=d, L=L)
    for name, flag in (("tied", tied), ("bias", bias)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} must be True or False, got {flag!r}")
    per_block = 12 * d * d + (13 * d if bias else 2 * d)
    final_norm = 2 * d if bias else d
    tables = V * d + T * d
    return tables + L * per_block + final_norm + (0 if tied else V * d)


def approximate_params(V: int, d: int, L: int, tied: bool = True) -> int:
    """Matrices only: 12Ld² plus Vd, or 2Vd with a head of its own (Lesson 14's boxed formula)."""
    V, d, L = _sizes(V=V, d=d, L=L)
    return 12 * L * d * d + (V * d if tied else 2 * V * d)


def weight_flops_per_token(V: int, d: int, L: int) -> int:
    """Forward FLOPs per token of the weight matmuls: 2(12Ld² + Vd), at any context."""
    V, d, L = _sizes(V=V, d=d, L=L)
    return 2 * (12 * L * d * d + V * d)


def attention_flops_per_token(T: int, d: int, L: int) -> int:
    """Forward FLOPs per token of QKᵀ and AV, full T x T: 4TdL."""
    T, d, L = _sizes(T=T, d=d, L=L)
    return 4 * T * d * L


def flops_per_token(V: int, T: int, d: int, L: int, train: bool = False) -> int:
    """FLOPs per token: 2(12Ld² + Vd) + 4TdL forward, three times that in training.

    Convention: matmuls only (no biases, norms or softmax), attention counted as the full T x T.
    """
    if not isinstance(train, bool):
        raise TypeError(f"train must be True or False, got {train!r}")
    forward = weight_flops_per_token(V, d, L) + attention_flops_per_token(T, d, L)
    return 3 * forward if train else forward


def attention_share(V: int, T: int, d: int, L: int) -> float:
    """Share of the forward FLOPs spent on attention matrices: 4TdL / flops_per_token, in 0 .. 1.

    Lesson 14's 15.27 % is another ratio: the attention term over the weights' FLOPs alone.
    """
    return attention_flops_per_token(T, d, L) / flops_per_token(V, T, d, L)


def context_for_attention_share(V: int, d: int, L: int, share: float = 0.9) -> int:
    """The smallest T at which attention_share reaches `share` (strictly between 0 and 1)."""
    if isinstance(share, bool) or not isinstance(share, (int, float, Fraction)):
        raise TypeError(f"share must be a number between 0 and 1, got {share!r}")
    if not 0 < share < 1:
        raise ValueError(f"share must lie strictly between 0 and 1, got {share}")
    exact = Fraction(str(share))  # 0.9 is meant as 9/10, not as the nearest binary fraction
    weights = weight_flops_per_token(V, d, L)
    return max(1, ceil(exact / (1 - exact) * weights / attention_flops_per_token(1, d, L)))


def crossover_context(d: int, causal: bool = False) -> int:
    """The T at which the attention matrices of a layer cost as much as its MLP, 16d².

    Full T x T: 4Td = 16d², so T = 4d. Causal entries only: a token sees (T + 1)/2 keys on average,
    2(T + 1)d = 16d², so T = 8d - 1.
    """
    (d,) = _sizes(d=d)
    return 8 * d - 1 if causal else 4 * d


def crossover_depth(V: int, d: int) -> float:
    """The number of blocks at which block matrices outweigh the token table: V / (12d)."""
    V, d = _sizes(V=V, d=d)
    return V / (12 * d)


def tying_fraction(V: int, d: int, L: int, T: int | None = None) -> float:
    """The fraction of the untied total that tying saves: Vd / total.

    The total is approximate_params without T, and count_gpt2_params with T.
    """
    V, d, L = _sizes(V=V, d=d, L=L)
    if T is None:
        return V * d / approximate_params(V, d, L, tied=False)
    return V * d / count_gpt2_params(V, T, d, L, tied=False)


def _sizes(**named: int) -> list[int]:
    return [require_int(name, value) for name, value in named.items()]
