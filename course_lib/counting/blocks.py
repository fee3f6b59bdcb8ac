"""The tensors of one block: norms, attention and MLP, with their shapes in symbols and numbers.

A dimension is a pair such as ("h·d_k", 768). The experts of a block are stacked into one tensor
for each matrix, (experts, input, output), so that the largest models stay a short list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from course_lib.counting.config import NORMS, ModelConfig

Dim = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Tensor:
    """One stored tensor: what it is called, where it sits and how large it is."""

    name: str  # "blocks.0.attention.W_Q"
    shape: tuple[int, ...]  # (input, output) for a matrix
    part: str  # one of PARTS in tensors.py
    block: int | None  # 0-based; None outside the blocks
    kind: str  # "matrix", "bias", "gain" or "table"
    symbols: tuple[str, ...]  # the shape in the lessons' symbols: ("d", "h·d_k")
    matmul: bool  # whether it multiplies activations (a tied token table does, as the head)
    count: int  # entries
    active: int  # entries that one token makes use of: less than count only for routed experts


def tensor(
    name: str, part: str, kind: str, *dims: Dim, block: int | None = None, matmul: bool = False
) -> Tensor:
    """A tensor from its dimensions; a matrix always multiplies activations."""
    symbols, shape = zip(*dims, strict=True)
    count = prod(shape)
    matmul = matmul or kind == "matrix"
    return Tensor(name, shape, part, block, kind, symbols, matmul, count, count)


def norm(c: ModelConfig, name: str, size: Dim, block: int | None = None) -> Iterator[Tensor]:
    """The vectors that a norm over `size` learns."""
    for kind in NORMS[c.norm]:
        yield tensor(f"{name}.{kind}", "norm", kind, size, block=block)


def block_tensors(c: ModelConfig, i: int) -> Iterator[Tensor]:
    """Every tensor of block i, in the order in which a token meets them."""
    at, d = f"blocks.{i}.", ("d", c.d)
    before, after = _norm_names(c)
    attention = _latent_attention if c.kv_latent else _attention
    routed = bool(c.experts) and i not in c.dense_blocks
    mlp = _expert_mlp(c, f"{at}mlp.", i) if routed else _mlp(c, f"{at}mlp.", i, ("d_ff", c.d_ff))
    for sublayer, tensors in enumerate((attention(c, f"{at}attention.", i), mlp)):
        for name in before[sublayer : sublayer + 1]:  # parallel blocks may share the first norm
            yield from norm(c, at + name, d, i)
        yield from tensors
        for name in after[sublayer : sublayer + 1]:
            yield from norm(c, at + name, d, i)


def _norm_names(c: ModelConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the norms before and after the two sublayers."""
    if c.placement == "pre and post":
        return ("ln1", "ln2"), ("ln1_post", "ln2_post")
    if c.placement in ("post", "after sublayer"):
        return (), ("ln1", "ln2")
    return (("ln1",) if c.parallel == "one norm" else ("ln1", "ln2")), ()


def _linear(
    c: ModelConfig, at: str, x: str, i: int, into: Dim, out: Dim, bias: str
) -> Iterator[Tensor]:
    """The matrix W_x of attention and, where the model has this kind of bias, b_x."""
    yield tensor(f"{at}W_{x}", "attention", "matrix", into, out, block=i)
    if bias in c.biases:
        yield tensor(f"{at}b_{x}", "attention", "bias", out, block=i)


def _attention(c: ModelConfig, at: str, i: int) -> Iterator[Tensor]:
    value = "d_k" if c.d_v == c.d_k else "d_v"
    d, q, k = ("d", c.d), ("h·d_k", c.h * c.d_k), ("h_kv·d_k", c.h_kv * c.d_k)
    v, o = (f"h_kv·{value}", c.h_kv * c.d_v), (f"h·{value}", c.h * c.d_v)
    yield from _linear(c, at, "Q", i, d, q, "q")
    yield from _linear(c, at, "K", i, d, k, "k")
    yield from _linear(c, at, "V", i, d, v, "v")
    if c.qk_norm != "no":
        head = ("d_k", c.d_k)
        whole = c.qk_norm == "whole width"
        yield from norm(c, f"{at}q_norm", q if whole else head, i)
        yield from norm(c, f"{at}k_norm", k if whole else head, i)
    yield from _linear(c, at, "O", i, o, d, "o")


def _latent_attention(c: ModelConfig, at: str, i: int) -> Iterator[Tensor]:
    """Multi-head latent attention (DeepSeek-V2, sec. 2.1): keys and values from one latent."""
    d, q, o = ("d", c.d), ("h·d_k", c.h * c.d_k), ("h·d_v", c.h * c.d_v)
    q_latent, kv_latent = ("q_latent", c.q_latent), ("kv_latent", c.kv_latent)
    if c.q_latent:
        yield from _linear(c, at, "DQ", i, d, q_latent, "latent")
        yield from norm(c, f"{at}q_latent_norm", q_latent, i)
        yield tensor(f"{at}W_UQ", "attention", "matrix", q_latent, q, block=i)
    else:
        yield tensor(f"{at}W_Q", "attention", "matrix", d, q, block=i)
    down = ("kv_latent + d_rope", c.kv_latent + c.d_rope)
    yield from _linear(c, at, "DKV", i, d, down, "latent")
    yield from norm(c, f"{at}kv_latent_norm", kv_latent, i)
    up = ("h·(d_k - d_rope + d_v)", c.h * (c.d_k - c.d_rope + c.d_v))
    yield tensor(f"{at}W_UKV", "attention", "matrix", kv_latent, up, block=i)
    yield from _linear(c, at, "O", i, o, d, "o")


def _mlp(
    c: ModelConfig, at: str, i: int, f: Dim, stack: tuple[Dim, ...] = (), bias: str = "mlp"
) -> Iterator[Tensor]:
    """An MLP of width f; `stack` is the number of experts where all of a block are listed."""
    d = ("d", c.d)
    layers = [("gate", d, f), ("up", d, f)] if c.gated else [("fc", d, f)]
    for x, into, out in [*layers, ("down" if c.gated else "proj", f, d)]:
        yield tensor(f"{at}W_{x}", "mlp", "matrix", *stack, into, out, block=i)
        if bias in c.biases:
            yield tensor(f"{at}b_{x}", "mlp", "bias", *stack, out, block=i)


def _expert_mlp(c: ModelConfig, at: str, i: int) -> Iterator[Tensor]:
    """Router, routed experts (of which a token visits some) and the experts all tokens visit."""
    experts = ("experts", c.experts)
    yield tensor(f"{at}router.W", "mlp", "matrix", ("d", c.d), experts, block=i)
    if "router" in c.biases:
        yield tensor(f"{at}router.b", "mlp", "bias", experts, block=i)
    width = ("d_expert", c.d_expert)
    for t in _mlp(c, f"{at}experts.", i, width, stack=(experts,), bias="experts"):
        yield replace(t, active=t.count // c.experts * c.experts_active)
    if c.experts_shared:
        shared = ("experts_shared·d_expert", c.experts_shared * c.d_expert)
        yield from _mlp(c, f"{at}shared.", i, shared)
