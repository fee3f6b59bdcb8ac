"""Compute the figures of the other two source documents: GPT-2 exactly, and its anatomy.

Usage: python scripts/lesson-14/gpt2_model.py
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from course_lib.counting import (
    MODELS,
    count_gpt2_params,
    forward_flops,
    params,
    params_by_part,
    params_without_embeddings,
    tensors,
    weight_bytes,
)
from course_lib.gpt import gpt_logits, next_token_loss
from course_lib.gpt_parameters import INIT_STD, init_gpt, named_parameters
from course_lib.layers import gelu
from course_lib.tied import tied_gradient_paths

V, T, D, L = 50257, 1024, 768, 12  # GPT-2 small


def counting_values() -> dict[str, Any]:
    """Count GPT-2 as document 2 does."""
    small = MODELS["GPT-2 small"]
    block = {t.name.split(".", 2)[2]: t.count for t in tensors(small) if t.block == 0}
    final_norm = sum(t.count for t in tensors(small) if t.part == "norm" and t.block is None)
    got: dict[str, Any] = {
        "12 L d^2": 12 * L * D * D,
        "what 12 L d^2 leaves out, in millions": (params(small) - 12 * L * D * D) / 1e6,
        "token embedding, V d": V * D,
        "position embedding, T d": T * D,
        "one block, 12 d^2 + 13 d": sum(block.values()),
        "the twelve blocks": L * sum(block.values()),
        "final layer norm": final_norm,
        "GPT-2 small from its tensor list": params(small),
        "GPT-2 small by the closed formula": count_gpt2_params(V, T, D, L),
        "without token and position tables": params_without_embeddings(small),
        "added by an untied head": count_gpt2_params(V, T, D, L, tied=False) - params(small),
        "added by padding V to 50,304": 47 * D,
        "padded to V = 50,304": count_gpt2_params(50304, T, D, L),
        "float32 weights in MB": weight_bytes(small, "float32") / 1e6,
        "bfloat16 weights in MB": weight_bytes(small, "bfloat16") / 1e6,
        "head size d_k of GPT-2 small": small.d_k,
        "MLP width of GPT-2 small": small.d_ff,
        "share of the token table, GPT-2 small, in %": 100 * V * D / params(small),
    }
    for size in ("medium", "large", "XL"):
        got[f"GPT-2 {size}, all parameters"] = params(MODELS[f"GPT-2 {size}"])
    xl = MODELS["GPT-2 XL"]
    got["share of the token table, GPT-2 XL, in %"] = 100 * xl.V * xl.d / params(xl)
    return got


def model_values() -> dict[str, Any]:
    """Build document 2's tiny model and test it as every new model should be tested."""
    tiny = MODELS["tiny GPT"]
    P = init_gpt(tiny.V, tiny.T, tiny.d, tiny.L, seed=1)
    rng = np.random.default_rng(2)
    idx, targets = rng.integers(0, tiny.V, (2, 8, tiny.T))  # (B, T) each
    logits = gpt_logits(P, idx, tiny.h)
    changed = idx.copy()
    changed[:, 20] = (changed[:, 20] + 1) % tiny.V
    dZ = np.abs(gpt_logits(P, changed, tiny.h) - logits)

    x = np.linspace(-6, 6, 12001)
    exact = np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x])

    E, A = rng.normal(size=(7, 4)), rng.normal(size=(4, 4))
    paths = tied_gradient_paths(E, A, [1, 5, 1], [0, 1, 3])
    return {
        "tiny model, all parameters": params(tiny),
        "tiny model, entries of its arrays": sum(value.size for _, value in named_parameters(P)),
        "tiny model: logits shape": list(logits.shape),
        "tiny model: head size d_k": tiny.d_k,
        "tiny model: MLP width": tiny.d_ff,
        "ln 56, the loss of a uniform guess": math.log(56),
        "tiny model: |loss at initialisation - ln 56|": abs(
            next_token_loss(logits, targets) - math.log(56)
        ),
        "ln 50,257": math.log(V),
        "token 20 changed: max |dZ| before position 20": float(dZ[:, :20].max()),
        "residual initialisation of GPT-2 small, 0.02 / sqrt(24)": INIT_STD / math.sqrt(2 * L),
        "residual initialisation of GPT-2 XL, 0.02 / sqrt(96)": INIT_STD / math.sqrt(2 * 48),
        "GELU, tanh form: largest distance from the exact form": float(
            np.abs(gelu(x) - exact).max()
        ),
        "tied gradient: rows reached by the lookup": int(paths.through_lookup.any(axis=1).sum()),
        "tied gradient: rows reached by the head": int(paths.through_head.any(axis=1).sum()),
    }


def anatomy_values() -> dict[str, Any]:
    """Take GPT-2 small apart as document 3 does, at T = 8."""
    small = MODELS["GPT-2 small"]
    parts = params_by_part(small)
    total = params(small)
    embeddings = parts["token embedding"] + parts["position embedding"]
    block = [t for t in tensors(small) if t.block == 0]
    attention, mlp = (sum(t.count for t in block if t.part == p) for p in ("attention", "mlp"))
    shapes = {t.name.rsplit(".", 1)[1]: list(t.shape) for t in block if t.part == "attention"}
    return {
        "W_Q, W_K, W_V, W_O of GPT-2 small": [shapes[f"W_{w}"] for w in "QKVO"],
        "attention, one block": attention,
        "attention, all blocks": parts["attention"],
        "attention in % of the model": 100 * parts["attention"] / total,
        "embeddings, both tables": embeddings,
        "embeddings in % of the model": 100 * embeddings / total,
        "MLP, all blocks": parts["mlp"],
        "MLP in % of the model": 100 * parts["mlp"] / total,
        "MLP in % of a block": 100 * mlp / sum(t.count for t in block),
        "norms, all": parts["norm"],
        "norms in % of the model": 100 * parts["norm"] / total,
        "sum of the parts": sum(parts.values()),
        "without embeddings, in millions": params_without_embeddings(small) / 1e6,
        "forward GFLOPs per token at T = 8": forward_flops(small, T=8) / 1e9,
    }


def values() -> dict[str, Any]:
    """Compute the figures of both documents."""
    return counting_values() | model_values() | anatomy_values()


def main() -> None:
    """Print every value, one a line."""
    for name, value in values().items():
        print(f"{name:58} {value}")


if __name__ == "__main__":
    main()
