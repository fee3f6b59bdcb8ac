"""The list of named tensors of a model, block by block; every count is a sum over this list.

Nothing is allocated: a tensor is its name and its shape. The experts of a block are stacked into
one tensor per matrix, (experts, input, output), so that the largest models stay a short list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from course_lib.counting.config import NORMS, ModelConfig

PARTS = (
    "token embedding",
    "position embedding",
    "embedding projection",
    "attention",
    "mlp",
    "norm",
    "head",
)
TABLES = ("token embedding", "position embedding")


@dataclass(frozen=True, slots=True)
class Tensor:
    """One stored tensor: what it is called, where it sits and how large it is."""

    name: str  # "blocks.0.attention.W_Q"
    shape: tuple[int, ...]  # (input, output) for a matrix
    part: str  # one of PARTS
    block: int | None  # 0-based; None outside the blocks
    kind: str  # "matrix", "bias", "gain" or "table"
    symbols: tuple[str, ...]  # the shape in the lessons' symbols: ("d", "h·d_k")
    matmul: bool  # whether it multiplies activations (a tied token table does, as the head)
    count: int  # entries
    active: int  # entries that one token makes use of: less than count only for routed experts


def tensors(config: ModelConfig) -> list[Tensor]:
    """Every stored tensor of the model, in the order in which a token meets them.

    A tied head is no tensor of its own: the token table then has matmul = True.
    """
    build = _Builder(config)
    return [*build.embeddings(), *build.blocks(), *build.head()]


def params(config: ModelConfig) -> int:
    """All parameters, each stored tensor once."""
    return sum(t.count for t in tensors(config))


def params_without_embeddings(config: ModelConfig) -> int:
    """All but the token and position tables (Kaplan et al. 2020, sec. 2.1); an untied head stays.

    Model cards of untied models (Pythia, Qwen) subtract the head as well: `params_by_part` has it.
    """
    return sum(t.count for t in tensors(config) if t.part not in TABLES)


def active_params(config: ModelConfig) -> int:
    """Parameters that one token makes use of: all but the routed experts it does not visit."""
    return sum(t.active for t in tensors(config))


def params_by_part(config: ModelConfig) -> dict[str, int]:
    """Parameters of each part that the model has, in the order of PARTS."""
    counts = dict.fromkeys(PARTS, 0)
    for t in tensors(config):
        counts[t.part] += t.count
    return {part: count for part, count in counts.items() if count}


class _Builder:
    def __init__(self, config: ModelConfig) -> None:
        self.c = config

    def embeddings(self) -> Iterator[Tensor]:
        c = self.c
        e = "d" if c.d_embed == c.d else "d_embed"
        part = "token embedding"
        yield _tensor("wte", (c.V, c.d_embed), part, "table", ("V", e), matmul=c.tied)
        if c.d_embed != c.d:
            part = "embedding projection"
            yield _matrix("project_in.W", (c.d_embed, c.d), part, None, ("d_embed", "d"))
        if c.positions == "learned":
            rows = "T" if not c.position_offset else f"T + {c.position_offset}"
            shape = (c.T + c.position_offset, c.d)
            yield _tensor("wpe", shape, "position embedding", "table", (rows, "d"))
        if c.embedding_norm:
            yield from self.norm_of("ln_embed", None)

    def blocks(self) -> Iterator[Tensor]:
        for i in range(self.c.L):
            yield from self.block(i)

    def block(self, i: int) -> Iterator[Tensor]:
        c, at = self.c, f"blocks.{i}."
        before, after = _norm_names(c)
        if before:
            yield from self.norm_of(at + before[0], i)
        if c.kv_latent:
            yield from self.latent_attention(at + "attention.", i)
        else:
            yield from self.attention(at + "attention.", i)
        if after:
            yield from self.norm_of(at + after[0], i)
        if len(before) == 2:
            yield from self.norm_of(at + before[1], i)
        if c.experts and i not in c.dense_blocks:
            yield from self.expert_mlp(at + "mlp.", i)
        else:
            yield from self.mlp(at + "mlp.", i, (c.d_ff,), ("d_ff",))
        if after:
            yield from self.norm_of(at + after[1], i)

    def head(self) -> Iterator[Tensor]:
        c = self.c
        if c.final_norm:
            yield from self.norm_of("ln_f", None)
        e = "d" if c.d_embed == c.d else "d_embed"
        if c.d_embed != c.d:
            part = "embedding projection"
            yield _matrix("project_out.W", (c.d, c.d_embed), part, None, ("d", "d_embed"))
        if not c.tied:
            yield _matrix("head.W_U", (c.d_embed, c.V), "head", None, (e, "V"))
        if "head" in c.biases:
            yield _tensor("head.b_U", (c.V,), "head", "bias", ("V",))

    def norm_of(
        self, name: str, i: int | None, size: int | None = None, symbol: str = "d"
    ) -> Iterator[Tensor]:
        for kind in NORMS[self.c.norm]:
            shape = (self.c.d if size is None else size,)
            yield _tensor(f"{name}.{kind}", shape, "norm", kind, (symbol,), block=i)

    def linear(
        self, at: str, x: str, i: int, shape: tuple[int, int], symbols: tuple[str, str], bias: str
    ) -> Iterator[Tensor]:
        yield _matrix(f"{at}W_{x}", shape, "attention", i, symbols)
        if bias in self.c.biases:
            yield _tensor(f"{at}b_{x}", shape[1:], "attention", "bias", symbols[1:], block=i)

    def attention(self, at: str, i: int) -> Iterator[Tensor]:
        c = self.c
        q, k, v = c.h * c.d_k, c.h_kv * c.d_k, c.h_kv * c.d_v
        q_, k_ = "h·d_k", "h_kv·d_k"
        v_, o_ = ("h_kv·d_k", "h·d_k") if c.d_v == c.d_k else ("h_kv·d_v", "h·d_v")
        yield from self.linear(at, "Q", i, (c.d, q), ("d", q_), "q")
        yield from self.linear(at, "K", i, (c.d, k), ("d", k_), "k")
        yield from self.linear(at, "V", i, (c.d, v), ("d", v_), "v")
        if c.qk_norm == "per head":
            yield from self.norm_of(at + "q_norm", i, c.d_k, "d_k")
            yield from self.norm_of(at + "k_norm", i, c.d_k, "d_k")
        elif c.qk_norm == "whole width":
            yield from self.norm_of(at + "q_norm", i, q, q_)
            yield from self.norm_of(at + "k_norm", i, k, k_)
        yield from self.linear(at, "O", i, (c.h * c.d_v, c.d), (o_, "d"), "o")

    def latent_attention(self, at: str, i: int) -> Iterator[Tensor]:
        """Multi-head latent attention (DeepSeek-V2, sec. 2.1): keys and values from one latent."""
        c = self.c
        q = c.h * c.d_k
        if c.q_latent:
            yield from self.linear(at, "DQ", i, (c.d, c.q_latent), ("d", "q_latent"), "latent")
            yield from self.norm_of(at + "q_latent_norm", i, c.q_latent, "q_latent")
            yield _matrix(at + "W_UQ", (c.q_latent, q), "attention", i, ("q_latent", "h·d_k"))
        else:
            yield _matrix(at + "W_Q", (c.d, q), "attention", i, ("d", "h·d_k"))
        down = (c.d, c.kv_latent + c.d_rope)
        yield from self.linear(at, "DKV", i, down, ("d", "kv_latent + d_rope"), "latent")
        yield from self.norm_of(at + "kv_latent_norm", i, c.kv_latent, "kv_latent")
        up = (c.kv_latent, c.h * (c.d_k - c.d_rope + c.d_v))
        symbols = ("kv_latent", "h·(d_k - d_rope + d_v)")
        yield _matrix(at + "W_UKV", up, "attention", i, symbols)
        yield from self.linear(at, "O", i, (c.h * c.d_v, c.d), ("h·d_v", "d"), "o")

    def mlp(
        self, at: str, i: int, width: tuple[int, ...], symbol: tuple[str, ...], routed: bool = False
    ) -> Iterator[Tensor]:
        """One MLP, or with width = (experts, d_expert) all routed experts of a block, stacked."""
        c, bias = self.c, "experts" if routed else "mlp"
        stack, f = width[:-1], width[-1]
        stack_, f_ = symbol[:-1], symbol[-1]
        into = ("gate", "up") if c.gated else ("fc",)
        for x in into:
            yield self._mlp_matrix(f"{at}W_{x}", (*stack, c.d, f), i, (*stack_, "d", f_), routed)
            if bias in c.biases:
                yield self._mlp_bias(f"{at}b_{x}", (*stack, f), i, (*stack_, f_), routed)
        x = "down" if c.gated else "proj"
        yield self._mlp_matrix(f"{at}W_{x}", (*stack, f, c.d), i, (*stack_, f_, "d"), routed)
        if bias in c.biases:
            yield self._mlp_bias(f"{at}b_{x}", (*stack, c.d), i, (*stack_, "d"), routed)

    def expert_mlp(self, at: str, i: int) -> Iterator[Tensor]:
        c = self.c
        yield _matrix(at + "router.W", (c.d, c.experts), "mlp", i, ("d", "experts"))
        if "router" in c.biases:
            yield _tensor(at + "router.b", (c.experts,), "mlp", "bias", ("experts",), block=i)
        width = (c.experts, c.d_expert)
        yield from self.mlp(at + "experts.", i, width, ("experts", "d_expert"), routed=True)
        if c.experts_shared:
            shared = (c.experts_shared * c.d_expert,)
            yield from self.mlp(at + "shared.", i, shared, ("experts_shared·d_expert",))

    def _mlp_matrix(
        self, name: str, shape: tuple[int, ...], i: int, symbols: tuple[str, ...], routed: bool
    ) -> Tensor:
        return self._routed(_matrix(name, shape, "mlp", i, symbols), routed)

    def _mlp_bias(
        self, name: str, shape: tuple[int, ...], i: int, symbols: tuple[str, ...], routed: bool
    ) -> Tensor:
        return self._routed(_tensor(name, shape, "mlp", "bias", symbols, block=i), routed)

    def _routed(self, tensor: Tensor, routed: bool) -> Tensor:
        if not routed:
            return tensor
        return replace(tensor, active=tensor.count // self.c.experts * self.c.experts_active)


def _norm_names(c: ModelConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the block's norms: those before its two sublayers, and those after."""
    if c.placement == "pre and post":
        return ("ln1", "ln2"), ("ln1_post", "ln2_post")
    if c.placement in ("post", "after sublayer"):
        return (), ("ln1", "ln2")
    return (("ln1",) if c.parallel == "one norm" else ("ln1", "ln2")), ()


def _tensor(
    name: str,
    shape: tuple[int, ...],
    part: str,
    kind: str,
    symbols: tuple[str, ...],
    matmul: bool = False,
    block: int | None = None,
) -> Tensor:
    count = prod(shape)
    return Tensor(name, shape, part, block, kind, symbols, matmul, count, count)


def _matrix(
    name: str, shape: tuple[int, ...], part: str, block: int | None, symbols: tuple[str, ...]
) -> Tensor:
    return _tensor(name, shape, part, "matrix", symbols, matmul=True, block=block)
