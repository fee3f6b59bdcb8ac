"""Bytes: weights by dtype, training state, key-value cache."""

from course_lib.counting.config import ModelConfig
from course_lib.counting.tensors import params
from course_lib.validation import require_int

BITS: dict[str, int] = {
    "float64": 64,
    "float32": 32,
    "bfloat16": 16,
    "float16": 16,
    "int8": 8,
    "int4": 4,
}


def weight_bytes(config: ModelConfig, dtype: str = "float32") -> int:
    """Bytes of the weights alone; quantised dtypes without their scales."""
    return _bytes(params(config), dtype)


def training_bytes(config: ModelConfig, dtype: str = "float32") -> dict[str, int]:
    """Bytes that AdamW holds all through training, activations aside.

    Weights and gradients in `dtype`; both moments in float32. Below 32 bits a float32 master copy
    of the weights is added, as mixed-precision training keeps one (Micikevicius et al. 2018).
    """
    n = params(config)
    held = {"weights": _bytes(n, dtype), "gradients": _bytes(n, dtype)}
    if BITS[dtype] < 32:
        held["master weights"] = 4 * n
    return held | {"first moments": 4 * n, "second moments": 4 * n}


def kv_cache_bytes(
    config: ModelConfig, T: int | None = None, B: int = 1, dtype: str = "bfloat16"
) -> int:
    """Bytes of the keys and values of T positions in B sequences (default T: the model's context).

    Latent attention keeps one latent and one rotary key per position and layer instead of heads.
    Sliding windows, which would shorten the cache of some layers, are not counted.
    """
    T = config.T if T is None else require_int("T", T)
    if config.kv_latent:
        per_layer = config.kv_latent + config.d_rope
    else:
        per_layer = config.h_kv * (config.d_k + config.d_v)
    return _bytes(require_int("B", B) * T * config.L * per_layer, dtype)


def _bytes(entries: int, dtype: str) -> int:
    if dtype not in BITS:
        raise ValueError(f"dtype must be one of {', '.join(BITS)}; got {dtype!r}")
    return -(-entries * BITS[dtype] // 8)  # int4 packs two a byte, the last byte may be half full
