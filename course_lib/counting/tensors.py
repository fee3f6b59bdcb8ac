"""The list of named tensors of a model, block by block; every count is a sum over this list.

Nothing is allocated: a tensor is its name and its shape. `blocks.py` lists the inside of a block.
"""

from __future__ import annotations

from collections.abc import Iterator

from course_lib.counting.blocks import Tensor, block_tensors, norm, tensor
from course_lib.counting.config import ModelConfig

__all__ = [
    "PARTS",
    "Tensor",
    "active_params",
    "params",
    "params_by_part",
    "params_without_embeddings",
    "tensors",
]

PARTS = (
    "token embedding",
    "position embedding",
    "embedding projection",
    "attention",
    "mlp",
    "norm",
    "head",
)
_TABLES = ("token embedding", "position embedding")


def tensors(config: ModelConfig) -> list[Tensor]:
    """Every stored tensor of the model, in the order in which a token meets them.

    A tied head is no tensor of its own: the token table then has matmul = True.
    """
    inside = (t for i in range(config.L) for t in block_tensors(config, i))
    return [*_embeddings(config), *inside, *_head(config)]


def params(config: ModelConfig) -> int:
    """All parameters, each stored tensor once."""
    return sum(t.count for t in tensors(config))


def params_without_embeddings(config: ModelConfig) -> int:
    """All but the token and position tables (Kaplan et al. 2020, sec. 2.1); an untied head stays.

    Model cards of untied models (Pythia, Qwen) subtract the head as well: `params_by_part` has it.
    """
    return sum(t.count for t in tensors(config) if t.part not in _TABLES)


def active_params(config: ModelConfig) -> int:
    """All parameters but the routed experts that a token does not visit."""
    return sum(t.active for t in tensors(config))


def params_by_part(config: ModelConfig) -> dict[str, int]:
    """Parameters of each part that the model has, in the order of PARTS."""
    counts = dict.fromkeys(PARTS, 0)
    for t in tensors(config):
        counts[t.part] += t.count
    return {part: count for part, count in counts.items() if count}


def _embeddings(c: ModelConfig) -> Iterator[Tensor]:
    V, d, e = ("V", c.V), ("d", c.d), _embedding_width(c)
    yield tensor("wte", "token embedding", "table", V, e, matmul=c.tied)
    if e != d:
        yield tensor("project_in.W", "embedding projection", "matrix", e, d)
    if c.positions == "learned":
        offset = f" + {c.position_offset}" if c.position_offset else ""
        rows = (f"T{offset}", c.T + c.position_offset)
        yield tensor("wpe", "position embedding", "table", rows, d)
    if c.embedding_norm:
        yield from norm(c, "ln_embed", d)


def _head(c: ModelConfig) -> Iterator[Tensor]:
    V, d, e = ("V", c.V), ("d", c.d), _embedding_width(c)
    if c.final_norm:
        yield from norm(c, "ln_f", d)
    if e != d:
        yield tensor("project_out.W", "embedding projection", "matrix", d, e)
    if not c.tied:
        yield tensor("head.W_U", "head", "matrix", e, V)
    if "head" in c.biases:
        yield tensor("head.b_U", "head", "bias", V)


def _embedding_width(c: ModelConfig) -> tuple[str, int]:
    return ("d", c.d) if c.d_embed == c.d else ("d_embed", c.d_embed)
