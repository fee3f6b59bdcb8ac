"""How wrong variants of `gpt_logits` are run side by side, each on its own copy of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from course_lib.checks.side_by_side import Args, Pieces, Stacking

ATTENTION = frozenset({
    "attention", "queries_keys_values", "qkv", "split_qkv", "split_heads", "merge_heads",
    "project", "attend", "scores", "scale", "mask", "visible", "softmax", "mix",
})  # fmt: skip
MLP = frozenset({"mlp", "mlp_in", "gelu", "mlp_out"})


def _focus(model: Any, rows: int) -> None:
    model.B, model.idx = rows, model.all_idx[:rows]


def _tile(args: Args, copies: int) -> Args:
    P, idx, h = args
    return P, np.tile(idx, (copies, 1)), h


def _silent(args: Args) -> list[tuple[Pieces, frozenset[str]]]:
    """A sublayer whose output projection is zero adds nothing: it need not be run."""
    blocks = args[0]["blocks"]
    found: list[tuple[Pieces, frozenset[str]]] = []
    for name, weights, boxes in (
        ("attention", ("w_o", "b_o"), ATTENTION), ("mlp", ("w_proj", "b_proj"), MLP),
    ):  # fmt: skip
        if not any(block[w].any() for block in blocks for w in weights):
            found.append(({name: lambda m, block, x: np.zeros_like(x)}, boxes))
    return found


def _statistic(model: Any, value: Any, rows: int) -> Any:
    """Give a mean the shape of x, whichever axes it was taken over."""
    return np.broadcast_to(np.asarray(value), (rows, model.T, model.d))


STACKING = Stacking(
    tile=_tile,
    rows=lambda args: len(args[1]),
    focus=_focus,
    spread={
        "position_rows": lambda m, rows, n: np.broadcast_to(rows, (n, m.T, m.d)),
        "scale": lambda m, scale, n: np.full((n, 1, 1, 1), scale),
        "mean": _statistic,
        "variance": _statistic,
        "visible": lambda m, seen, n: np.broadcast_to(seen, (n, 1, m.T, m.T)),
    },
    whole=frozenset({"answer", "blocks"}),
    inside={"split_heads": "attention"},
    telling=frozenset(
        {
            "single",
            "quiet",
            "embed_head",
            "mlp",
            "mean",
            "one_head",
            "attention",
            "one_block",
        }
    ),
    revealing={
        **dict.fromkeys(("mlp", "mlp_out"), MLP | {"norm2"}),
        **dict.fromkeys(
            ("attention", "project", "qkv", "split_qkv", "queries_keys_values", "attend"),
            ATTENTION | {"norm1"},
        ),
        **dict.fromkeys(("transformer_block", "residual"), ATTENTION | MLP | {"norm1", "norm2"}),
        **dict.fromkeys(("norm1", "norm2"), frozenset({"norm1", "norm2"})),
    },
    silent=_silent,
)
