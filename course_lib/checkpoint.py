"""Read and write GPT-2 weights in the files that people exchange: safetensors with a config.json.

    P, n_head = load_gpt2("gpt2/")           # the folder of a released model
    gpt_logits(P, [[464, 3290]], n_head)

Needs the extra `checkpoints`. PyTorch is not needed. Tensor names and layout are in
`checkpoint_names`, the file format in `safetensors_files`.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from course_lib.checkpoint_names import checkpoint_shapes, checkpoint_tensors, our_parameters
from course_lib.gpt_parameters import Params, require_parameters
from course_lib.layers import LAYER_NORM_EPS
from course_lib.safetensors_files import SINGLE, CheckpointError, StoredTensor, open_tensors
from course_lib.validation import describe, require_heads

CONFIG = "config.json"
# What computes nothing: the stored causal mask, and the number it was once filled with.
BUFFER = re.compile(r"h\.\d+\.attn\.(bias|masked_bias)")
# Settings of the format that change the arithmetic: what they are when left out, and what the
# engine can do.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "model_type": ("gpt2",),
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (LAYER_NORM_EPS,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
    "tie_word_embeddings": (True,),
}


class Checkpoint(NamedTuple):
    """The parameters of a model, and the number of heads that no shape tells."""

    P: Params
    n_head: int


def load_gpt2(
    path: str | os.PathLike[str], n_head: int | None = None, dtype: Any = None
) -> Checkpoint:
    """Read a GPT-2 checkpoint.

    Args:
        path: a folder with model.safetensors, or with shards and their index; or such a file.
        n_head: the number of heads; by default what config.json beside the weights says.
        dtype: np.float32 or np.float64 to convert to; by default float64 if any tensor is, else
            float32 (float16 and bfloat16 become float32, exactly).

    Returns:
        (P, n_head). Arrays that need no conversion are read-only views of the file: use
        np.array(…) to change one, and keep the file while P lives.

    Raises:
        FileNotFoundError: no file, a missing shard.
        CheckpointError: another architecture, transposed matrices, a tensor missing or too many,
            an untied head, a file cut off, a config that does not fit; it names the tensor.
        TypeError, ValueError: n_head or dtype that cannot be.
    """
    path = Path(path)
    if dtype is not None and dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be np.float32 or np.float64, got {describe(dtype)}")
    tensors = _without_prefix(path, open_tensors(path))
    config_file = (path if path.is_dir() else path.parent) / CONFIG
    config = _read_config(config_file) if config_file.exists() else {}

    head = tensors.pop("lm_head.weight", None)
    V, T, d, L = _sizes(path, tensors)
    _require_tensors(path, tensors, checkpoint_shapes(V, T, d, L))
    _require_config(config_file, config, V, T, d, L)
    arrays = {name: tensor.read() for name, tensor in tensors.items()}
    if head is not None and not np.array_equal(head.read(), arrays["wte.weight"]):
        raise CheckpointError(
            f"{path}: lm_head.weight {head.shape} differs from wte.weight {(V, d)}; expected a "
            "tied head, since GPT-2 scores tokens with the token table itself"
        )
    if n_head is None:
        if "n_head" not in config:
            raise CheckpointError(
                f"{config_file}: expected n_head there, for no tensor tells the number of heads; "
                f"pass load_gpt2(…, n_head=…): the released models have d / 64 = {d / 64:g}"
            )
        n_head = config["n_head"]
    if dtype is None:
        dtype = np.result_type(np.float32, *{array.dtype for array in arrays.values()})
    arrays = {name: array.astype(dtype, copy=False) for name, array in arrays.items()}
    return Checkpoint(our_parameters(arrays, L), require_heads(d, n_head))


def save_gpt2(P: Params, n_head: int, folder: str | os.PathLike[str]) -> None:
    """Write P as model.safetensors and config.json, as `transformers` does; load_gpt2 reads it.

    The folder is made if need be. A file of that name is replaced in one step, so that neither
    an interruption nor a P that was read from it can harm it.

    Raises:
        KeyError, TypeError, ValueError: parameters or a head count that `gpt_logits` refuses.
    """
    from safetensors.numpy import save_file

    V, T, d = require_parameters(P)
    h = require_heads(d, n_head)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        f"transformer.{name}": np.ascontiguousarray(value)
        for name, value in checkpoint_tensors(P).items()
    }
    end_of_text = 50_256 if V > 50_256 else None
    config = {
        **{name: allowed[0] for name, allowed in SETTINGS.items()},
        "architectures": ["GPT2LMHeadModel"], "dtype": P["wte"].dtype.name,
        "vocab_size": V, "n_positions": T, "n_ctx": T, "n_embd": d, "n_layer": len(P["blocks"]),
        "n_head": h, "bos_token_id": end_of_text, "eos_token_id": end_of_text,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(dir=folder, prefix=".save_gpt2-") as made:
        save_file(tensors, Path(made) / SINGLE, metadata={"format": "pt"})
        (Path(made) / CONFIG).write_text(json.dumps(config, indent=2) + "\n", "utf-8")
        for name in (SINGLE, CONFIG):
            (Path(made) / name).replace(folder / name)


# ---------------------------------------------------------------- what a checkpoint must be


def _without_prefix(path: Path, stored: Mapping[str, StoredTensor]) -> dict[str, StoredTensor]:
    """Drop the prefix `transformer.` from the names, and the buffers."""
    tensors: dict[str, StoredTensor] = {}
    for full_name, tensor in stored.items():
        name = full_name.removeprefix("transformer.")
        if name in tensors:
            raise CheckpointError(f"{path}: holds both {name} and transformer.{name}")
        if not BUFFER.fullmatch(name):
            tensors[name] = tensor
    return tensors


def _sizes(path: Path, tensors: Mapping[str, StoredTensor]) -> tuple[int, int, int, int]:
    """Return V, T, d and L as the tables and the numbers of the blocks tell them."""
    for name, shape in (("wte.weight", "(V, d)"), ("wpe.weight", "(T, d)")):
        if name not in tensors:
            raise CheckpointError(
                f"{path}: lacks {name}, expected with shape {shape}; it holds "
                f"{_list(tensors)}, which is another architecture than GPT-2"
            )
        if len(tensors[name].shape) != 2:
            raise CheckpointError(
                f"{path}: {name} has shape {tensors[name].shape}, expected {shape}"
            )
    V, d = tensors["wte.weight"].shape
    blocks = [int(match[1]) for name in tensors if (match := re.match(r"h\.(\d+)\.", name))]
    L = max(blocks, default=0) + 1
    if len(tensors) < L:
        raise CheckpointError(f"{path}: holds block {L - 1}, expected blocks counted from h.0 on")
    return V, tensors["wpe.weight"].shape[0], d, L


def _require_tensors(
    path: Path, tensors: Mapping[str, StoredTensor], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse a name too many or missing, and a shape that does not fit."""
    missing = [name for name in shapes if name not in tensors]
    if missing:
        first = missing[0]
        raise CheckpointError(
            f"{path}: lacks {_list(missing)}; expected {first} with shape {shapes[first]}"
        )
    unknown = [name for name in tensors if name not in shapes]
    if unknown:
        raise CheckpointError(
            f"{path}: holds {_list(unknown)}, for which GPT-2 has no place; expected, a block, "
            f"{_list([name for name in shapes if name.startswith('h.0.')], 12)}"
        )
    for name, shape in shapes.items():
        got = tensors[name].shape
        if got != shape:
            turned = len(shape) == 2 and got == shape[::-1]
            hint = (
                ": nn.Linear's layout (output, input); GPT-2's files have (input, output), so "
                "transpose all c_attn, c_proj and c_fc, the square one too"
                if turned
                else ""
            )
            raise CheckpointError(f"{path}: {name} has shape {got}, expected {shape}{hint}")


def _read_config(file: Path) -> dict[str, Any]:
    try:
        config = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{file}: expected JSON, but {error}") from None
    if not isinstance(config, dict):
        raise CheckpointError(f"{file}: expected a JSON object, got {describe(config)}")
    return config


def _require_config(file: Path, config: Mapping[str, Any], V: int, T: int, d: int, L: int) -> None:
    """Refuse a config of other sizes, or of a GPT-2 with other arithmetic."""
    sizes = {
        "vocab_size": (V, "wte.weight"), "n_positions": (T, "wpe.weight"),
        "n_embd": (d, "wte.weight"), "n_layer": (L, "the blocks"),
    }  # fmt: skip
    for name, (size, source) in sizes.items():
        if name in config and config[name] != size:
            raise CheckpointError(
                f"{file}: {name} is {config[name]}, expected {size} as {source} has it"
            )
    if config.get("n_inner") not in (None, 4 * d):
        raise CheckpointError(
            f"{file}: n_inner is {config['n_inner']}, expected null or 4·d = {4 * d}"
        )
    for name, allowed in SETTINGS.items():
        value = config.get(name, allowed[0])
        close = isinstance(value, float) and math.isclose(value, LAYER_NORM_EPS)
        if value not in allowed and not (name == "layer_norm_epsilon" and close):
            wanted = " or ".join(json.dumps(each) for each in allowed)
            raise CheckpointError(f"{file}: {name} is {json.dumps(value)}, expected {wanted}")


def _list(names: Iterable[str], most: int = 4) -> str:
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "nothing") + more
