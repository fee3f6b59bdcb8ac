"""Parameters, shapes, FLOPs and memory of any decoder, from its configuration.

A model is data: a `ModelConfig` gives a list of named tensors with shapes, and everything else is
computed from that list. The lessons, the checks and the explorer use it.
"""

from course_lib.counting.blocks import Tensor
from course_lib.counting.budgets import Budget, chinchilla
from course_lib.counting.config import ModelConfig
from course_lib.counting.flops import (
    ATTENTION,
    CONVENTIONS,
    attention_matrix_flops,
    flops_by_part,
    forward_flops,
    training_flops,
)
from course_lib.counting.gpt2 import (
    approximate_params,
    attention_flops_per_token,
    attention_share,
    context_for_attention_share,
    count_gpt2_params,
    crossover_context,
    crossover_depth,
    flops_per_token,
    tying_fraction,
    weight_flops_per_token,
)
from course_lib.counting.memory import BITS, kv_cache_bytes, training_bytes, weight_bytes
from course_lib.counting.models import MODELS, UnknownModelError
from course_lib.counting.tensors import (
    PARTS,
    active_params,
    params,
    params_by_part,
    params_without_embeddings,
    tensors,
)

__all__ = [
    "ATTENTION",
    "BITS",
    "CONVENTIONS",
    "MODELS",
    "PARTS",
    "Budget",
    "ModelConfig",
    "Tensor",
    "UnknownModelError",
    "active_params",
    "approximate_params",
    "attention_flops_per_token",
    "attention_matrix_flops",
    "attention_share",
    "chinchilla",
    "context_for_attention_share",
    "count_gpt2_params",
    "crossover_context",
    "crossover_depth",
    "flops_by_part",
    "flops_per_token",
    "forward_flops",
    "kv_cache_bytes",
    "params",
    "params_by_part",
    "params_without_embeddings",
    "tensors",
    "training_bytes",
    "training_flops",
    "tying_fraction",
    "weight_bytes",
    "weight_flops_per_token",
]
