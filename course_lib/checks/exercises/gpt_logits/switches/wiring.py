"""Mistakes in residuals, the order of sublayers and of blocks. How to add one: __init__.py."""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2, Block
from course_lib.checks.side_by_side import Pieces

LESSON = "01_forward_pass, the block"
PART = "whole"
Array = Any  # NDArray; a wrong variant may return anything


def _attend(m: GPT2, b: Block, x: Array) -> Array:
    return m.attention(b, m.norm1(b, x))


def _think(m: GPT2, b: Block, x: Array) -> Array:
    return m.mlp(b, m.norm2(b, x))


def _post(m: GPT2, b: Block, x: Array) -> Array:
    x = m.norm1(b, x + m.attention(b, x))
    return m.norm2(b, x + m.mlp(b, x))


def _from_normalised(m: GPT2, b: Block, x: Array) -> Array:
    n = m.norm1(b, x)
    x = n + m.attention(b, n)
    n = m.norm2(b, x)
    return n + m.mlp(b, n)


def _first_from_normalised(m: GPT2, b: Block, x: Array) -> Array:
    n = m.norm1(b, x)
    x = n + m.attention(b, n)
    return x + _think(m, b, x)


def _second_from_normalised(m: GPT2, b: Block, x: Array) -> Array:
    x = x + _attend(m, b, x)
    n = m.norm2(b, x)
    return n + m.mlp(b, n)


def _normalised_in_place(m: GPT2, b: Block, x: Array) -> Array:
    """Do what `x -= mean; x /= deviation; return g * x + b` does to the x that was given."""
    n = m.normalise(x)
    n = m.normalise(n + m.attention(b, m.affine(n, b["ln1_g"], b["ln1_b"])))
    return n + m.mlp(b, m.affine(n, b["ln2_g"], b["ln2_b"]))


def _branch_norm(m: GPT2, b: Block, x: Array) -> Array:
    x = x + m.norm1(b, m.attention(b, x))
    return x + m.norm2(b, m.mlp(b, x))


def _mlp_first(m: GPT2, b: Block, x: Array) -> Array:
    x = x + _think(m, b, x)
    return x + _attend(m, b, x)


def _skip_to_input(m: GPT2, b: Block, x: Array) -> Array:
    return x + _think(m, b, x + _attend(m, b, x))


def _sandwich(m: GPT2, b: Block, x: Array) -> Array:
    x = x + m.norm1(b, _attend(m, b, x))
    return x + m.norm2(b, _think(m, b, x))


def _keep(m: Any, idx: Array) -> Array:
    m.x0 = GPT2.embed(m, idx)
    return m.x0


def _sorted(m: Any, x: Array) -> Array:
    for sublayer in (_attend, _think):
        for i, b in enumerate(m.P["blocks"]):
            m.layer = i
            x = x + sublayer(m, b, x)
    m.layer = 0
    return x


def _weighted(a: float, b: float) -> tuple[Pieces, ...]:
    """Return a·x + b·f(x) for both residuals, for the first and for the second alone."""
    return (
        {"residual": lambda m, x, branch: a * x + b * branch},
        {"transformer_block": lambda m, block, x: (
            y := a * x + b * _attend(m, block, x)) + _think(m, block, y)},
        {"transformer_block": lambda m, block, x: (
            a * (y := x + _attend(m, block, x)) + b * _think(m, block, y))},
    )  # fmt: skip


def _scaled(power: float) -> Pieces:
    return {"residual": lambda m, x, branch: x + branch * (2 * len(m.P["blocks"])) ** power}


SWITCHES = (
    switch(
        "no_residual", "The residual connections are missing",
        "Each sublayer adds its answer to x: x = x + attention(LN1(x)), then x = x + MLP(LN2(x)).",
        LESSON, PART, residual=lambda m, x, branch: branch,
    ),
    switch(
        "no_attention_residual", "The residual around the attention is missing",
        "The attention adds its answer to x: x = x + attention(LN1(x)).",
        LESSON, PART,
        {"transformer_block": lambda m, b, x: (y := _attend(m, b, x)) + _think(m, b, y)},
        {"transformer_block": lambda m, b, x: x + _think(m, b, _attend(m, b, x))},
    ),
    switch(
        "no_mlp_residual", "The residual around the MLP is missing",
        "The MLP adds its answer to x: x = x + MLP(LN2(x)).",
        LESSON, PART, transformer_block=lambda m, b, x: _think(m, b, x + _attend(m, b, x)),
    ),
    switch(
        "post_norm", "The layer norms come after the residual (post-LN)",
        "That is GPT-1. GPT-2 normalises what a sublayer reads: x + f(LN(x)), not LN(x + f(x)).",
        LESSON, PART,
        {"transformer_block": _post},
        {"transformer_block": lambda m, b, x: (
            y := m.norm1(b, x + m.attention(b, x))) + _think(m, b, y)},
        {"transformer_block": lambda m, b, x: m.norm2(
            b, (y := x + _attend(m, b, x)) + m.mlp(b, y))},
    ),
    switch(
        "branch_norm", "The layer norms are applied to what the sublayers return",
        "GPT-2 normalises what a sublayer reads: x + f(LN(x)), not x + LN(f(x)).",
        LESSON, PART, {"transformer_block": _branch_norm}, {"transformer_block": _sandwich},
        {"transformer_block": lambda m, b, x: (
            y := x + m.norm1(b, m.attention(b, x))) + _think(m, b, y)},
        {"transformer_block": lambda m, b, x: (
            y := x + _attend(m, b, x)) + m.norm2(b, m.mlp(b, y))},
    ),
    switch(
        "residual_from_normalised", "The residual starts from the normalised x",
        "The sublayer reads LN(x), but its answer is added to x itself, which stays unnormalised. "
        "A layer norm that works in place (x -= mean) changes x, too.",
        LESSON, PART,
        {"transformer_block": _from_normalised},
        {"transformer_block": _first_from_normalised},
        {"transformer_block": _second_from_normalised},
        {"transformer_block": _normalised_in_place},
    ),
    switch(
        "residual_from_embedding", "The residual starts from the embedding in every block",
        "x = x + f(LN(x)): each sublayer's answer is added to the running stream x, not to the "
        "embedding (the x0 of the first line).",
        LESSON, PART,
        {"embed": _keep, "residual": lambda m, x, branch: m.x0 + branch},
        {"embed": _keep, "transformer_block": lambda m, b, x: (
            y := m.x0 + _attend(m, b, x)) + _think(m, b, y)},
        {"embed": _keep, "transformer_block": lambda m, b, x: (
            m.x0 + _think(m, b, x + _attend(m, b, x)))},
        {"embed": _keep, "transformer_block": lambda m, b, x: (
            m.x0 + _attend(m, b, x) + _think(m, b, x + _attend(m, b, x)))},
    ),
    switch(
        "norm_before_blocks", "The final layer norm comes before the first block, not at the end",
        "lnf stands after the last block, before the head; x enters the first block as it is.",
        LESSON, PART,
        {"embed": lambda m, idx: m.layer_norm(GPT2.embed(m, idx), m.P["lnf_g"], m.P["lnf_b"]),
         "norm_final": lambda m, x: x},
    ),
    switch(
        "sublayers_sorted", "All attentions run before all MLPs",
        "Each block holds an attention and an MLP; block 0 is finished before block 1 begins.",
        LESSON, PART,
        {"transformer_block": lambda m, b, x: _sorted(m, x) if m.layer == 0 else x},
    ),
    switch(
        "parallel_block", "The MLP reads the block's input, beside the attention",
        "That is GPT-J's parallel block. In GPT-2 the MLP reads x after the attention was added.",
        LESSON, PART,
        transformer_block=lambda m, b, x: x + _attend(m, b, x) + _think(m, b, x),
    ),
    switch(
        "parallel_shared_norm", "Attention and MLP read the same normalised x",
        "The MLP must read LN2 of x after the attention was added.",
        LESSON, PART,
        {"transformer_block": lambda m, b, x: x + _attend(m, b, x) + m.mlp(b, m.norm1(b, x))},
        {"transformer_block": lambda m, b, x: (
            x + (y := _attend(m, b, x)) + m.mlp(b, m.norm2(b, y)))},
        {"transformer_block": lambda m, b, x: (
            x + m.attention(b, n := m.norm1(b, x)) + m.mlp(b, m.norm2(b, n)))},
    ),
    switch(
        "mlp_first", "The MLP comes before the attention",
        "In each block: first attention, then MLP.",
        LESSON, PART, transformer_block=_mlp_first,
    ),
    switch(
        "attention_dropped", "The attention's answer is lost on the way",
        "After the MLP, x must hold both answers: the second residual adds to the new x, not to "
        "the block's input.",
        LESSON, PART, transformer_block=_skip_to_input,
    ),
    switch(
        "no_attention", "The attention sublayer is missing",
        "A block has two sublayers: attention, then MLP.",
        LESSON, PART, transformer_block=lambda m, b, x: x + _think(m, b, x),
        also=("heads", "scores", "mask"),
    ),
    switch(
        "no_mlp", "The MLP sublayer is missing",
        "A block has two sublayers: attention, then MLP.",
        LESSON, PART, transformer_block=lambda m, b, x: x + _attend(m, b, x), also=("mlp",),
    ),
    switch(
        "residual_twice", "A residual is added twice",
        "x + f(LN(x)): check that your attention or MLP function does not add x as well.",
        LESSON, PART,
        {"residual": lambda m, x, branch: 2 * x + branch},
        {"transformer_block": lambda m, b, x: (
            y := 2 * x + _attend(m, b, x)) + _think(m, b, y)},
        {"transformer_block": lambda m, b, x: (
            2 * (y := x + _attend(m, b, x)) + _think(m, b, y))},
        {"transformer_block": lambda m, b, x: (
            x + (y := x + _attend(m, b, x)) + _think(m, b, y))},
        {"residual": lambda m, x, branch: x + 2 * branch},
        {"mlp": lambda m, b, x: GPT2.mlp(m, b, x) + x},
        {"attention": lambda m, b, x: GPT2.attention(m, b, x) + x},
        {"mlp": lambda m, b, x: GPT2.mlp(m, b, x) + x,
         "attention": lambda m, b, x: GPT2.attention(m, b, x) + x},
    ),
    switch(
        "residual_scaled", "The residual branches are scaled in the forward pass",
        "x + f(LN(x)), with no factor (and no dropout). 1/√(2L) belongs to the initialisation of "
        "w_o and w_proj, not here.",
        LESSON, PART, _scaled(-0.5), _scaled(-1.0), {"residual": lambda m, x, y: (x + y) / 2},
        {"residual": lambda m, x, y: (x + y) / np.sqrt(2)},
        {"residual": lambda m, x, y: x + y / np.sqrt(len(m.P["blocks"]))},
        *({"residual": lambda m, x, y, c=c: x + c * y} for c in (0.9, 0.5, 0.8, 0.1, 1 / 0.9)),
        *(form for c in (0.9, 0.5, 0.8, 0.1, 2**-0.5) for form in _weighted(1, c)[1:]),
        *(form for c in (0.5, 2**-0.5) for form in _weighted(c, c)[1:]),
        *(form for c in (0.5, 0.9) for form in _weighted(c, 1)),
        *(form for c in (0.5, 0.9, 0.1) for form in _weighted(c, 1 - c) if c != 0.5),
        {"residual": lambda m, x, y: x + y / np.sqrt(m.d)},
        {"residual": lambda m, x, y: x + y * np.sqrt(m.d)},
        {"residual": lambda m, x, y: x + y / (m.layer + 1)},
        {"residual": lambda m, x, y: (x + y) / np.sqrt(m.layer + 2)},
    ),
    switch(
        "residual_subtracted", "A residual branch is subtracted",
        "x = x + f(LN(x)).",
        LESSON, PART, *_weighted(1, -1), *_weighted(-1, 1),
    ),
    switch(
        "final_norm_in_block", "The final layer norm is applied after every block",
        "lnf comes once, after the last block.",
        LESSON, PART,
        {"transformer_block": lambda m, b, x: m.layer_norm(
            GPT2.transformer_block(m, b, x), m.P["lnf_g"], m.P["lnf_b"]),
         "norm_final": lambda m, x: x},
        {"transformer_block": lambda m, b, x: m.layer_norm(
            GPT2.transformer_block(m, b, x), m.P["lnf_g"], m.P["lnf_b"])},
    ),
    switch(
        "blocks_reversed", "The blocks run in reverse order",
        "P['blocks'][0] comes first.",
        LESSON, PART, blocks=lambda m: m.P["blocks"][::-1],
    ),
    switch(
        "one_block_repeated", "Every layer uses the weights of the same block",
        "Layer i uses P['blocks'][i]; look at the index inside your loop.",
        LESSON, PART,
        {"blocks": lambda m: [m.P["blocks"][0]] * len(m.P["blocks"])},
        {"blocks": lambda m: [m.P["blocks"][-1]] * len(m.P["blocks"])},
    ),
    switch(
        "only_one_block", "Only one block is run",
        "All of P['blocks'] must be run, one after the other. Look for a return inside the loop, "
        "or an x that is not handed on.",
        LESSON, PART,
        {"blocks": lambda m: m.P["blocks"][:1]}, {"blocks": lambda m: m.P["blocks"][-1:]},
    ),
    switch(
        "block_skipped", "The first or the last block is left out",
        "Run all of P['blocks']; look at the bounds of your loop.",
        LESSON, PART,
        {"blocks": lambda m: m.P["blocks"][:-1]}, {"blocks": lambda m: m.P["blocks"][1:]},
    ),
    switch(
        "block_extra", "A block is run twice",
        "Run each of P['blocks'] once.",
        LESSON, PART,
        {"blocks": lambda m: [*m.P["blocks"], m.P["blocks"][-1]]},
        {"blocks": lambda m: [m.P["blocks"][0], *m.P["blocks"]]},
        {"blocks": lambda m: [b for b in m.P["blocks"] for _ in (0, 1)]},
        {"blocks": lambda m: m.P["blocks"] * 2},
    ),
    switch(
        "no_blocks", "No block is run",
        "Between embedding and head, x goes through all of P['blocks'].",
        LESSON, PART, blocks=lambda m: [],
        also=("heads", "scores", "mask", "mlp", "loud"),
    ),
)  # fmt: skip
