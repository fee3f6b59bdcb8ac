"""How large fresh weights should be, and what happens along the depth if they are not.

Two stacks are measured here. A plain one, x -> f(x W) -> f(x W) …, where a wrong scale multiplies
at every layer; and GPT-2's residual stream, where 2L branches add up. Lesson 5 shows both.

Sources: Glorot & Bengio (2010), He et al. (2015), Radford et al. (2019, section 2.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from course_lib.gpt import causal_self_attention, embed, mlp
from course_lib.gpt_parameters import INIT_STD, Params, named_parameters, require_parameters
from course_lib.layers import Array, layer_norm
from course_lib.validation import describe, require_heads, require_ids, require_int

Activation = Callable[[Array], Array]

RESIDUAL_WRITES = ("w_o", "w_proj")  # the two matrices whose output is added to the stream


def xavier_std(n_in: int, n_out: int) -> float:
    """Return √(2 / (n_in + n_out)), for tanh and sigmoid: Glorot & Bengio (2010), eq. 12.

    Forward alone would want 1/n_in, backward alone 1/n_out; this is the mean of the two fans.

    Raises:
        TypeError, ValueError: a fan that is no positive integer.
    """
    return math.sqrt(2 / (require_int("n_in", n_in) + require_int("n_out", n_out)))


def he_std(n_in: int) -> float:
    """Return √(2 / n_in), for ReLU, which keeps half of the mean square: He et al. (2015), eq. 10.

    Raises:
        TypeError, ValueError: a fan that is no positive integer.
    """
    return math.sqrt(2 / require_int("n_in", n_in))


def residual_std(L: int, std: float = INIT_STD) -> float:
    """Return std / √(2L), for the two matrices of each block that write into the stream.

    Source: Radford et al. (2019), section 2.3, with N = 2L residual layers as in nanoGPT.

    Raises:
        TypeError, ValueError: L is no positive integer, or std is not positive.
    """
    return _positive("std", std) / math.sqrt(2 * require_int("L", L))


def identity(x: Array) -> Array:
    """Return x: a stack of matrix products and nothing else."""
    return x


def relu(x: Array) -> Array:
    """Return x where it is positive, else 0."""
    return np.maximum(x, 0.0)


def activation_gain(activation: Activation, variance: float = 1.0) -> float:
    """Return E[f(y)²] / E[y²] for y from N(0, variance): what f leaves of the mean square.

    A layer of n_in inputs keeps its scale if n_in · σ² · gain = 1. The gain is ½ for ReLU at any
    variance. For GELU and tanh it depends on the variance.

    Raises:
        TypeError, ValueError: variance is no positive number.
    """
    y = math.sqrt(_positive("variance", variance)) * np.linspace(-12, 12, 24_001)
    density = np.exp(-(y * y) / (2 * variance))
    f = activation(y)
    return float((f * f * density).sum() / (y * y * density).sum())


def variance_along_depth(
    std: float,
    activation: Activation,
    width: int = 768,
    depth: int = 16,
    batch: int = 64,
    seed: int = 0,
) -> Array:
    """Return the mean square of what each layer of a plain stack computes, before its activation.

    Args:
        std: standard deviation of every weight.
        activation: applied after each of the matrix products, such as np.tanh or gelu.
        width: units of each layer.
        depth: number of layers.
        batch: number of random inputs, from N(0, 1).
        seed: the same seed draws the same inputs and the same weights up to `std`.

    Returns:
        (depth + 1,): entry 0 is the input, entry l is x W in layer l.

    Raises:
        TypeError, ValueError: a size that is no positive integer, std that is not positive.
    """
    std = _positive("std", std)
    for name, size in {"width": width, "depth": depth, "batch": batch}.items():
        require_int(name, size)
    rng = np.random.default_rng(require_int("seed", seed, low=0))
    x = rng.standard_normal((batch, width))
    mean_squares = [_mean_square(x)]
    for _ in range(depth):
        y = x @ (rng.standard_normal((width, width)) * std)  # (batch, width)
        mean_squares.append(_mean_square(y))
        x = activation(y)
    return np.array(mean_squares)


def residual_stream(P: Params, idx: ArrayLike, n_head: int) -> list[Array]:
    """Return GPT-2's residual stream before the first and after each of its 2L branches.

    Entry 0 is the embeddings, entry 2l - 1 follows the attention of block l (counted from 1) and
    entry 2l its MLP; each is (B, T, d).

    Raises:
        KeyError, TypeError, ValueError: as in `gpt_logits`.
    """
    V, T_max, d = require_parameters(P)
    h = require_heads(d, n_head)
    stream = [embed(P, require_ids("idx", idx, vocabulary=V, ndim=2, max_T=T_max))]
    for block in P["blocks"]:
        x = stream[-1]
        x = x + causal_self_attention(block, layer_norm(x, block["ln1_g"], block["ln1_b"]), h)
        stream += [x, x + mlp(block, layer_norm(x, block["ln2_g"], block["ln2_b"]))]
    return stream


def root_mean_square(x: ArrayLike) -> float:
    """Return √(mean of x²): the norm per entry, so that sizes do not depend on the shape."""
    return math.sqrt(_mean_square(np.asarray(x)))


def relative_changes(stream: list[Array]) -> Array:
    """Return |what a branch added| / |what was there| for each step of a stream, (2L,)."""
    steps = pairwise(stream)
    return np.array([root_mean_square(after - x) / root_mean_square(x) for x, after in steps])


def scale_weights(P: Params, factor: float, names: tuple[str, ...] = RESIDUAL_WRITES) -> Params:
    """Return parameters in which the named matrices of every block are `factor` times as large.

    With √(2L) and the default names this undoes the 1/√(2L) rule. P itself is not changed.

    Raises:
        KeyError, TypeError, ValueError: unusable P, an unknown name, factor not positive.
    """
    require_parameters(P)
    factor = _positive("factor", factor)
    allowed = P["blocks"][0]
    if unknown := [name for name in names if name not in allowed]:
        raise ValueError(f"names must be among {', '.join(allowed)}; got {', '.join(unknown)}")
    blocks = [{n: w * factor if n in names else w for n, w in b.items()} for b in P["blocks"]]
    return {**P, "blocks": blocks}


def weight_stds(P: Params) -> dict[str, float]:
    """Return the standard deviation of each kind of weight, the same kind of all blocks together.

    Only matrices and tables: {"wte": 0.02, "wpe": 0.02, "w_qkv": 0.02, "w_o": …}.

    Raises:
        KeyError, TypeError, ValueError: as in `gpt_logits`.
    """
    require_parameters(P)
    kinds: dict[str, list[Array]] = {}
    for where, value in named_parameters(P):
        if value.ndim == 2:
            kinds.setdefault(where.rsplit("[", 1)[1].strip("']"), []).append(value.ravel())
    return {name: float(np.concatenate(values).std()) for name, values in kinds.items()}


def _mean_square(x: Array) -> float:
    return float(np.mean(x * x))


def _positive(name: str, value: object) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} must be a positive number, got {describe(value)}")
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be positive and finite, got {number}")
    return number
