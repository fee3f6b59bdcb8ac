"""Count the toy and GPT-2: parameters, FLOPs per token and training budgets, and print them.

Usage: python scripts/lesson-14/param_count.py

Counting convention of the lesson's source: weight matrices, MLP biases and layer norms, but no
attention biases. What is left to the published count is exactly those.
"""

from __future__ import annotations

from typing import Any

from course_lib.counting import (
    MODELS,
    ModelConfig,
    attention_matrix_flops,
    chinchilla,
    crossover_context,
    forward_flops,
    params,
    params_by_part,
    tensors,
    training_flops,
    weight_bytes,
)


def block_params(config: ModelConfig) -> int:
    """Count one block, the first; all blocks of these models are alike."""
    return sum(t.count for t in tensors(config) if t.block == 0)


def toy_values() -> dict[str, Any]:
    """Count the toy."""
    toy = MODELS["toy"]
    parts = params_by_part(toy)
    block = block_params(toy)
    final_norm = sum(t.count for t in tensors(toy) if t.part == "norm" and t.block is None)
    forward = forward_flops(toy, convention="with biases", attention="none")
    training = training_flops(toy, convention="with biases", attention="none")
    scores = attention_matrix_flops(toy, T=8)
    budget = chinchilla(params(toy))
    return {
        "toy: token embedding": parts["token embedding"],
        "toy: positions": parts.get("position embedding", 0),
        "toy: one block": block,
        "toy: all blocks": toy.L * block,
        "toy: final layer norm": final_norm,
        "toy: head": parts["head"],
        "toy: all parameters": params(toy),
        "toy: float32 size in MB": weight_bytes(toy, "float32") / 1e6,
        "toy: float64 size in MB": weight_bytes(toy, "float64") / 1e6,
        "toy: share of the blocks": toy.L * block / params(toy),
        "toy: forward FLOPs per token, biases and norms counted": forward,
        "toy: 2 x all parameters": 2 * params(toy),
        "toy: training FLOPs per token": training,
        "toy: attention-score FLOPs per token at T = 8": scores,
        "toy: attention scores in % of forward": scores / forward * 100,
        "toy: crossover T* = 4d": crossover_context(toy.d),
        "toy: D at 20 tokens a parameter": budget.tokens,
        "toy: C = 6 P D in FLOPs": budget.flops,
    }


def gpt2_values() -> dict[str, Any]:
    """Rebuild GPT-2 small and medium without the attention biases, and find the difference."""
    got: dict[str, Any] = {}
    for size in ("small", "medium"):
        counted = params(MODELS[f"GPT-2 {size}"].without_attention_biases())
        published = params(MODELS[f"GPT-2 {size}"])
        got |= {
            f"GPT-2 {size}: tied, attention biases left out": counted,
            f"GPT-2 {size}: published": published,
            f"GPT-2 {size}: the difference, 4 d L": published - counted,
        }

    left_out = got["GPT-2 small: the difference, 4 d L"]
    got["GPT-2 small: the difference in % of the published count"] = (
        100 * left_out / got["GPT-2 small: published"]
    )

    small = MODELS["GPT-2 small"].without_attention_biases()
    total = params(small)
    forward = forward_flops(small, convention="with biases", attention="none")
    training = training_flops(small, convention="with biases", attention="none")
    scores = attention_matrix_flops(small, T=1024)
    budget = chinchilla(total)
    return got | {
        "GPT-2 small: share of the token embedding": small.V * small.d / total,
        "GPT-2 small: share of the blocks": small.L * block_params(small) / total,
        "GPT-2 small: forward FLOPs per token, biases and norms counted": forward,
        "GPT-2 small: training FLOPs per token": training,
        "GPT-2 small: attention-score FLOPs per token at T = 1024": scores,
        "GPT-2 small: attention scores in % of forward": scores / forward * 100,
        "GPT-2 small: crossover T* = 4d": crossover_context(small.d),
        "GPT-2 small: D at 20 tokens a parameter": budget.tokens,
        "GPT-2 small: C = 6 P D in FLOPs": budget.flops,
        "GPT-2 small: float32 parameter budget in bits": budget.parameter_bits,
        "GPT-2 small: information in the training data in bits": budget.data_bits,
        "bits of data per bit of parameter budget": budget.data_bits_per_parameter_bit,
    }


def values() -> dict[str, Any]:
    """Compute all counts of Lesson 14."""
    return toy_values() | gpt2_values()


def main() -> None:
    """Print every value, one a line."""
    for name, value in values().items():
        print(f"{name:66} {value:,}")


if __name__ == "__main__":
    main()
