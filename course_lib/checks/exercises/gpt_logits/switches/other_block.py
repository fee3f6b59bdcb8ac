"""Sublayers with the weights or the input of another place. How to add one: __init__.py."""

from collections.abc import Callable
from typing import Any

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2, Block
from course_lib.checks.side_by_side import Pieces

LESSON = "01_forward_pass, the block"
PART = "whole"
Array = Any  # NDArray; a wrong variant may return anything

_WHICH: tuple[Callable[[int, int], int], ...] = (
    lambda i, L: 0,
    lambda i, L: L - 1,
    lambda i, L: (i + 1) % L,
    lambda i, L: i - 1,
    lambda i, L: min(i + 1, L - 1),
    lambda i, L: max(i - 1, 0),
    lambda i, L: L - 1 - i,
)


def _elsewhere(which: Callable[[int, int], int], *methods: str) -> Pieces:
    """Replace methods by themselves with another block's weights."""

    def moved(method: str) -> Any:
        right = getattr(GPT2, method)

        def wrong(m: GPT2, block: Block, x: Array) -> Array:
            return right(m, m.P["blocks"][which(m.layer, len(m.P["blocks"]))], x)

        return wrong

    return {method: moved(method) for method in methods}


def _everywhere(*methods: str) -> tuple[Pieces, ...]:
    return tuple(_elsewhere(which, *methods) for which in _WHICH)


def _raw(*parts: int) -> Pieces:
    """Let some of q, k, v read x itself instead of its normalised copy."""

    def block(m: Any, b: Block, x: Array) -> Array:
        m.raw = x
        return GPT2.transformer_block(m, b, x)

    def qkv(m: Any, b: Block, x: Array) -> Any:
        normal, raw = GPT2.split_qkv(m, GPT2.qkv(m, b, x)), GPT2.split_qkv(m, GPT2.qkv(m, b, m.raw))
        q, k, v = (m.split_heads(raw[i] if i in parts else normal[i]) for i in range(3))
        return q, k, v

    return {"transformer_block": block, "queries_keys_values": qkv}


def _keep(m: Any, idx: Array) -> Array:
    m.x0 = GPT2.embed(m, idx)
    return m.x0


SWITCHES = (
    switch(
        "mlp_of_other_block", "The MLP takes the weights of another block",
        "Layer i uses w_fc and w_proj of P['blocks'][i], the wrong layer's are taken here.",
        LESSON, PART, *_everywhere("mlp"), *_everywhere("mlp_in"), *_everywhere("mlp_out"),
        *_everywhere("norm2", "mlp"),
    ),
    switch(
        "attention_of_other_block", "The attention takes the weights of another block",
        "Layer i uses w_qkv and w_o of P['blocks'][i], the wrong layer's are taken here.",
        LESSON, PART, *_everywhere("attention"), *_everywhere("qkv"), *_everywhere("project"),
        *_everywhere("norm1", "attention"),
    ),
    switch(
        "norm_of_other_block", "A layer norm takes the gain and bias of another block",
        "Layer i uses ln1 and ln2 of P['blocks'][i], the wrong layer's are taken here.",
        LESSON, PART, *_everywhere("norm1", "norm2"), *_everywhere("norm1"), *_everywhere("norm2"),
    ),
    switch(
        "norms_are_lnf", "The blocks use the final layer norm's gain and bias",
        "Each block has layer norms of its own: ln1 before the attention, ln2 before the MLP.",
        LESSON, PART,
        {"norm1": lambda m, b, x: m.norm_final(x), "norm2": lambda m, b, x: m.norm_final(x)},
        {"norm1": lambda m, b, x: m.norm_final(x)}, {"norm2": lambda m, b, x: m.norm_final(x)},
    ),
    switch(
        "biases_swapped", "Two biases are swapped, or one serves twice",
        "b_o belongs to the attention's output projection, b_proj to the MLP's. They have the same "
        "length, so the swap runs without an error.",
        LESSON, PART,
        {"project": lambda m, b, y: y @ b["w_o"] + b["b_proj"],
         "mlp_out": lambda m, b, x: x @ b["w_proj"] + b["b_o"]},
        {"project": lambda m, b, y: y @ b["w_o"] + b["b_proj"]},
        {"mlp_out": lambda m, b, x: x @ b["w_proj"] + b["b_o"]},
    ),
    switch(
        "bias_twice", "The bias of a linear layer is added more than once",
        "Every bias is added once, after its matrix: b_o after the heads are joined.",
        LESSON, PART,
        {"project": lambda m, b, y: GPT2.project(m, b, y) + (m.h - 1) * b["b_o"]},
        {"project": lambda m, b, y: GPT2.project(m, b, y) + b["b_o"]},
        {"mlp_out": lambda m, b, x: GPT2.mlp_out(m, b, x) + b["b_proj"]},
        {"mlp_in": lambda m, b, x: GPT2.mlp_in(m, b, x) + b["b_fc"]},
        {"qkv": lambda m, b, x: GPT2.qkv(m, b, x) + b["b_qkv"]},
        {"project": lambda m, b, y: y @ b["w_o"] + b["b_o"] / m.h},
    ),
    switch(
        "reads_unnormalised", "Some of q, k and v are made from x before the layer norm",
        "All three are made from the same normalised copy, LN1(x).",
        LESSON, PART, *(_raw(*parts) for parts in ((2,), (1, 2), (0,), (1,), (0, 1), (0, 2))),
    ),
    switch(
        "embedding_again", "The embedding is added again in later blocks or at the end",
        "After the first line the embedding lives on in x; the residuals carry it through.",
        LESSON, PART,
        {"embed": _keep, "norm_final": lambda m, x: GPT2.norm_final(m, x + m.x0)},
        {"embed": _keep, "norm_final": lambda m, x: GPT2.norm_final(m, x) + m.x0},
        {"embed": _keep,
         "transformer_block": lambda m, b, x: GPT2.transformer_block(m, b, x) + m.x0},
    ),
    switch(
        "blocks_read_embedding", "Every block reads the embedding, not the block before it",
        "Block i reads what block i − 1 returned: x = block(x). Look at the name that your loop "
        "assigns and the name that it reads.",
        LESSON, PART,
        {"embed": _keep,
         "transformer_block": lambda m, b, x: x + GPT2.transformer_block(m, b, m.x0) - m.x0},
        {"embed": _keep, "transformer_block": lambda m, b, x: (
            GPT2.transformer_block(m, b, m.x0) + (x if m.layer else 0.0))},
    ),
)  # fmt: skip
