"""What the command line prints: the summary of one model and the table of all models."""

from __future__ import annotations

from typing import Any

from course_lib.counting.config import ModelConfig
from course_lib.counting.flops import flops_by_part, forward_flops
from course_lib.counting.memory import kv_cache_bytes, weight_bytes
from course_lib.counting.models import MODELS
from course_lib.counting.tensors import (
    active_params,
    params,
    params_by_part,
    params_without_embeddings,
    tensors,
)


def summary(config: ModelConfig, T: int) -> dict[str, Any]:
    """One model at context T, ready for JSON.

    flops_per_token is the forward pass: weight matmuls plus the full attention matrices at T.
    A tied head is no part of its own: its matrix is the token table.
    """
    return {
        "model": config.name,
        "params": params(config),
        "params_without_embeddings": params_without_embeddings(config),
        "active_params": active_params(config),
        "flops_per_token": forward_flops(config, T),
        "parts": [{"name": t.name, "shape": t.shape, "count": t.count} for t in tensors(config)],
        "context": T,
        "tied_head": config.tied,
        "params_by_part": params_by_part(config),
        "flops_per_token_by_part": flops_by_part(config, T),
        "weight_bytes_bfloat16": weight_bytes(config, "bfloat16"),
        "kv_cache_bytes_bfloat16": kv_cache_bytes(config, T),
        "published": config.published,
        "source": config.source,
        "note": config.note,
    }


def text_report(config: ModelConfig, T: int) -> str:
    """The same for a reader: totals, then where they come from."""
    total = params(config)
    lines = [
        config.name,
        *_columns(
            ("parameters", total),
            ("without embeddings", params_without_embeddings(config)),
            ("active per token", active_params(config)),
        ),
        "where they are",
        *_shares(params_by_part(config)),
        f"forward FLOPs per token at T = {T:,} (matmuls, full attention)",
        *_columns(("total", forward_flops(config, T))),
        *_shares(flops_by_part(config, T)),
        "bytes",
        *_columns(
            ("weights, float32", weight_bytes(config)),
            ("weights, bfloat16", weight_bytes(config, "bfloat16")),
            (f"KV cache of {T:,} tokens, bfloat16", kv_cache_bytes(config, T)),
        ),
    ]
    if config.positions == "learned" and config.T < T:
        lines.append(f"note: this model has {config.T:,} positions; it cannot read {T:,} tokens")
    if config.note:
        lines.append(f"note: {config.note}")
    return "\n".join(lines) + "\n"


def table_markdown() -> str:
    """Every model of models.csv: computed, published, and whether they are equal."""
    rows = ["| model | computed | published | equal | source | note |", "| --- " * 6 + "|"]
    for name, config in MODELS.items():
        computed = params(config)
        published, equal = "—", "not published to the unit"
        if config.published is not None:
            published = f"{config.published:,}"
            difference = computed - config.published
            equal = "yes" if not difference else f"no, {difference:+,}"
        cells = (name, f"{computed:,}", published, equal, config.source, config.note)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _columns(*rows: tuple[str, int]) -> list[str]:
    return [f"  {label:<36}{value:>22,}" for label, value in rows]


def _shares(parts: dict[str, int]) -> list[str]:
    total = sum(parts.values())
    return [f"  {part:<36}{n:>22,}{n / total:>9.2%}" for part, n in parts.items()]
