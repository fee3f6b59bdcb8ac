"""What the released GPT-2 checkpoints call each of our parameters, and which shape it has there.

Matrices stay (input, output): OpenAI's code multiplies x @ W, as ours does, and the files keep
that layout although PyTorch's own nn.Linear stores the transpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course_lib.gpt_parameters import parameter_shapes

MODEL_NAMES = {
    "wte": "wte.weight",
    "wpe": "wpe.weight",
    "lnf_g": "ln_f.weight",
    "lnf_b": "ln_f.bias",
}
BLOCK_NAMES = {
    "ln1_g": "ln_1.weight", "ln1_b": "ln_1.bias",
    "w_qkv": "attn.c_attn.weight", "b_qkv": "attn.c_attn.bias",
    "w_o": "attn.c_proj.weight", "b_o": "attn.c_proj.bias",
    "ln2_g": "ln_2.weight", "ln2_b": "ln_2.bias",
    "w_fc": "mlp.c_fc.weight", "b_fc": "mlp.c_fc.bias",
    "w_proj": "mlp.c_proj.weight", "b_proj": "mlp.c_proj.bias",
}  # fmt: skip


def checkpoint_tensors(P: Mapping[str, Any]) -> dict[str, Any]:
    """Give our parameters the names of the released checkpoints, such as h.0.attn.c_attn.weight."""
    tensors = {theirs: P[ours] for ours, theirs in MODEL_NAMES.items()}
    for i, block in enumerate(P["blocks"]):
        tensors |= {f"h.{i}.{theirs}": block[ours] for ours, theirs in BLOCK_NAMES.items()}
    return tensors


def our_parameters(tensors: Mapping[str, Any], L: int) -> dict[str, Any]:
    """Return P from tensors named as in the checkpoints: the inverse of `checkpoint_tensors`."""
    P = {ours: tensors[theirs] for ours, theirs in MODEL_NAMES.items()}
    P["blocks"] = [
        {ours: tensors[f"h.{i}.{theirs}"] for ours, theirs in BLOCK_NAMES.items()} for i in range(L)
    ]
    return P


def checkpoint_shapes(V: int, T: int, d: int, L: int) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of every tensor in a GPT-2 checkpoint of that size."""
    model, block = parameter_shapes(V, T, d)
    return checkpoint_tensors({**model, "blocks": [block] * L})
