"""Floating-point operations per token, forward and training, summed over the tensor list.

A multiply and an add are two operations. Two terms: the weights, which cost the same at any
context, and the attention matrices (scores QKᵀ and mix AV), which have no weights and grow with T.
What is counted is a named convention, because published figures differ in exactly this.
"""

from collections.abc import Callable

from course_lib.counting.blocks import Tensor
from course_lib.counting.config import ModelConfig
from course_lib.counting.tensors import PARTS, tensors
from course_lib.validation import require_int

CONVENTIONS: dict[str, str] = {
    "matmuls": "2 x the entries of every matrix that multiplies activations, the head included",
    "with biases": "2 x every parameter of the blocks and the head, biases and norms too",
    "all parameters": "2 x every parameter, the rule of thumb: tables too, a tied head once",
}
ATTENTION: dict[str, str] = {
    "full": "the whole T x T matrix, as dense kernels compute it: 4 T d per layer",
    "causal": "only the entries on and below the diagonal, (T + 1) / 2 a token: 2 (T + 1) d",
    "none": "the weights only",
}

_COUNTED: dict[str, Callable[[Tensor], bool]] = {
    "matmuls": lambda t: t.matmul,
    "with biases": lambda t: t.block is not None or t.matmul or t.part == "head",
    "all parameters": lambda t: True,
}


def forward_flops(
    config: ModelConfig,
    T: int | None = None,
    *,
    convention: str = "matmuls",
    attention: str = "full",
) -> int:
    """Forward FLOPs per token at context T (default: the model's own).

    `convention` is a key of CONVENTIONS, `attention` one of ATTENTION. Softmax, GELU, the norms'
    arithmetic and the sliding windows of some families are not counted. Experts: active ones only.

    Raises ValueError for an unknown name, TypeError or ValueError for a T that is no context.
    """
    by_part = flops_by_part(config, T, convention=convention, attention=attention)
    return sum(by_part.values())


def training_flops(
    config: ModelConfig,
    T: int | None = None,
    *,
    convention: str = "matmuls",
    attention: str = "full",
) -> int:
    """Training FLOPs per token: three times the forward pass, since backward costs two."""
    return 3 * forward_flops(config, T, convention=convention, attention=attention)


def attention_matrix_flops(
    config: ModelConfig, T: int | None = None, *, attention: str = "full"
) -> int:
    """Forward FLOPs per token of QKᵀ and AV over all layers; full and d_k = d/h: 4 T d L.

    The causal figure is the mean over the T positions. Latent attention counts the expanded heads.
    """
    _known("attention", attention, ATTENTION)
    T = config.T if T is None else require_int("T", T)
    per_key = config.L * config.h * (config.d_k + config.d_v)  # half the FLOPs of one key
    return {"full": 2 * T * per_key, "causal": (T + 1) * per_key, "none": 0}[attention]


def flops_by_part(
    config: ModelConfig,
    T: int | None = None,
    *,
    convention: str = "matmuls",
    attention: str = "full",
) -> dict[str, int]:
    """Forward FLOPs per token of each part; the key "attention matrix" holds the T-dependent term.

    A tied token table works as the head, and is listed there.
    """
    _known("convention", convention, CONVENTIONS)
    counted = _COUNTED[convention]
    flops = dict.fromkeys(PARTS, 0)
    for t in tensors(config):
        if counted(t):
            flops["head" if t.kind == "table" and t.matmul else t.part] += 2 * t.active
    flops["attention matrix"] = attention_matrix_flops(config, T, attention=attention)
    return {part: n for part, n in flops.items() if n}


def _known(name: str, value: str, options: dict[str, str]) -> None:
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}; got {value!r}")
