"""The parameters of GPT-2: their names and shapes, a fresh draw, and what is refused.

They are one dict P of arrays and a list of blocks, described by `parameter_shapes`. `gpt.py` runs
them; the checkpoint loader, the PyTorch twin and the exercises use the same names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from course_lib.layers import Array
from course_lib.validation import (
    describe,
    require_array,
    require_int,
    require_names,
)

Block = Mapping[str, Array]
Params = dict[str, Any]

INIT_STD = 0.02


def parameter_shapes(V: int, T: int, d: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the shapes of the model's own tensors, and those of each of its blocks, by name."""
    model = {"wte": (V, d), "wpe": (T, d), "lnf_g": (d,), "lnf_b": (d,)}
    block = {
        "ln1_g": (d,), "ln1_b": (d,),
        "w_qkv": (d, 3 * d), "b_qkv": (3 * d,), "w_o": (d, d), "b_o": (d,),
        "ln2_g": (d,), "ln2_b": (d,),
        "w_fc": (d, 4 * d), "b_fc": (4 * d,), "w_proj": (4 * d, d), "b_proj": (d,),
    }  # fmt: skip
    return model, block


def init_gpt(V: int, T: int, d: int, L: int, seed: int = 0, dtype: Any = np.float64) -> Params:
    """Draw the parameters of a fresh GPT-2.

    Matrices and tables come from N(0, 0.02²). The two that write into the residual stream (w_o
    and w_proj) are √(2L) times smaller, since 2L branches add up there. Biases are 0, gains 1.

    Args:
        V: the size of the vocabulary.
        T: the longest context, rows of the position table.
        d: the width of the residual stream.
        L: the number of blocks.
        seed: the same seed draws the same numbers, in float32 the rounded ones.
        dtype: np.float64 or np.float32.

    Source: Radford et al. (2019), section 2.3, with N = 2L residual layers as in nanoGPT. OpenAI's
    own released code draws wpe with 0.01 and does not scale w_o and w_proj.

    Raises:
        TypeError, ValueError: a size that is no positive integer, a negative seed, another dtype.
    """
    for name, size in {"V": V, "T": T, "d": d, "L": L}.items():
        require_int(name, size)
    try:
        known = np.dtype(dtype) in (np.float64, np.float32)
    except TypeError:
        known = False
    if not known:
        raise ValueError(f"dtype must be np.float64 or np.float32, got {describe(dtype)}")
    rng = np.random.default_rng(require_int("seed", seed, low=0))
    residual_std = INIT_STD / math.sqrt(2 * L)

    def draw(name: str, shape: tuple[int, ...]) -> Array:
        if name.endswith("_g"):
            return np.ones(shape, dtype)
        if name.startswith("b_") or name.endswith("_b"):
            return np.zeros(shape, dtype)
        std = residual_std if name in ("w_o", "w_proj") else INIT_STD
        return (rng.standard_normal(shape) * std).astype(dtype, copy=False)

    model, block = parameter_shapes(V, T, d)
    P: Params = {name: draw(name, shape) for name, shape in model.items()}
    P["blocks"] = [{name: draw(name, shape) for name, shape in block.items()} for _ in range(L)]
    return P


def named_parameters(P: Params) -> Iterator[tuple[str, Array]]:
    """Yield every parameter with the expression that reaches it, such as P['blocks'][0]['w_o']."""
    for name, value in P.items():
        if name != "blocks":
            yield f"P[{name!r}]", value
    for i, block in enumerate(P["blocks"]):
        for name, value in block.items():
            yield f"P['blocks'][{i}][{name!r}]", value


def require_parameters(P: Params) -> tuple[int, int, int]:
    """Check names, shapes and dtypes of P; return (V, T_max, d)."""
    model_names, block_names = parameter_shapes(1, 1, 1)
    require_names("P", P, [*model_names, "blocks"])
    for name, columns in (("wte", "(V, d)"), ("wpe", "(T_max, d)")):
        table = require_parameter(f"P[{name!r}]", P[name])
        if table.ndim != 2 or 0 in table.shape:
            raise ValueError(f"P[{name!r}] must be a table {columns}, got shape {table.shape}")
    (V, d), T_max, dtype = P["wte"].shape, len(P["wpe"]), P["wte"].dtype
    if not isinstance(P["blocks"], (list, tuple)):
        raise TypeError(f"P['blocks'] must be a list of dicts, got {describe(P['blocks'])}")
    if not P["blocks"]:
        raise ValueError("P['blocks'] must hold at least one block, got an empty list")

    model_shapes, block_shapes = parameter_shapes(V, T_max, d)
    expected = [(f"P[{name!r}]", P[name], shape) for name, shape in model_shapes.items()]
    for i, block in enumerate(P["blocks"]):
        where = f"P['blocks'][{i}]"
        require_names(where, block, block_names)
        expected += [(f"{where}[{n!r}]", block[n], shape) for n, shape in block_shapes.items()]
    for where, value, shape in expected:
        if require_parameter(where, value).shape != shape:
            turned = value.shape == shape[::-1] and len(shape) == 2
            hint = ": weights are stored (input, output), so transpose it" if turned else ""
            raise ValueError(
                f"{where} must have shape {shape}, since P['wte'] has d = {d} columns, "
                f"got {value.shape}{hint}"
            )
        if value.dtype != dtype:
            raise TypeError(
                f"all parameters must have one dtype, but {where} is {value.dtype} and P['wte'] "
                f"is {dtype}: convert one with .astype"
            )
    return V, T_max, d


def require_parameter(where: str, value: Any) -> Array:
    """Return `value` if it is a plain float64 or float32 array."""
    plain = isinstance(value, np.ndarray) and not isinstance(value, (np.ma.MaskedArray, np.matrix))
    if not plain or value.dtype not in (np.float64, np.float32):
        raise TypeError(
            f"{where} must be a float64 or float32 array, got {describe(value)}; "
            "np.array(…, dtype=np.float64) makes one"
        )
    array: Array = value
    return array


def require_finite(P: Params, logits: Array) -> None:
    """Refuse logits with NaN or infinity in them, and say which parameter brought it in.

    Looking at the result costs two quick passes over the logits; a NaN in any parameter that
    takes part arrives there. Only then are the parameters searched.
    """
    if np.isfinite(logits.max()) and np.isfinite(logits.min()):
        return
    for where, value in named_parameters(P):
        require_array(where, value, value.shape)
    size, where = max((float(np.abs(value).max()), where) for where, value in named_parameters(P))
    raise ValueError(
        f"the logits overflow {logits.dtype}, although all parameters are finite: use smaller "
        f"ones; the largest number is {size:.2g}, in {where}"
    )
