"""Read the arrays of a safetensors file, or of several with an index, without copying them.

The `safetensors` package reads the header and checks that it is whole and covers the file; the
arrays are views of the file mapped into memory, so that opening half a gigabyte takes
milliseconds. NumPy has no bfloat16: it is the upper half of a float32, and is shifted into one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from course_lib.layers import Array

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
FLOATS = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": np.uint16}


class CheckpointError(ValueError):
    """A file that is no checkpoint of the kind asked for; the message names file and tensor."""


class StoredTensor:
    """One tensor of a file: its type and shape now, its numbers when `read`."""

    def __init__(
        self, name: str, kind: str, shape: tuple[int, ...], file: Path, raw: Array
    ) -> None:
        self.name, self.kind, self.shape, self.file, self.raw = name, kind, shape, file, raw

    def read(self) -> Array:
        """Return the numbers: a read-only view of the file; float32 where the file has 16 bits.

        Raises:
            CheckpointError: the tensor holds no floats.
        """
        if self.kind not in FLOATS:
            raise CheckpointError(
                f"{self.file}: {self.name} is stored as {self.kind}; expected one of "
                f"{', '.join(FLOATS)}"
            )
        values: Array = self.raw.view(FLOATS[self.kind]).reshape(self.shape)
        if self.kind == "BF16":
            return (values.astype(np.uint32) << 16).view(np.float32)
        if self.kind == "F16":
            return values.astype(np.float32)
        return values if values.flags.aligned else values.copy()


def open_tensors(path: Path) -> dict[str, StoredTensor]:
    """Return every tensor under a safetensors file, or a folder with one or with shards, by name.

    Raises:
        FileNotFoundError: there is no such file, or none of that kind in the folder.
        CheckpointError: a file that is cut off or of another kind; shards that do not fit
            their index.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder")
    if path.is_file() and path.name.endswith(".index.json"):
        return _open_shards(path)
    if path.is_file():
        return _open_file(path)
    if (path / SINGLE).exists():
        return _open_file(path / SINGLE)
    if (path / INDEX).exists():
        return _open_shards(path / INDEX)
    files = sorted(path.glob("*.safetensors"))
    if len(files) == 1:
        return _open_file(files[0])
    raise FileNotFoundError(f"{path}: expected {SINGLE} or {INDEX} there, {_what_is_there(path)}")


def _what_is_there(folder: Path) -> str:
    """Say which files of other formats a folder holds."""
    others = {
        "*.safetensors": "found several files and no index",
        "*.bin": "found PyTorch's *.bin, which can run code when opened: convert it, or fetch "
        "the safetensors file of the same model",
        "*.ckpt*": "found TensorFlow's checkpoint: fetch the safetensors file of the same model",
    }
    found = [words for pattern, words in others.items() if any(folder.glob(pattern))]
    return found[0] if found else "found no checkpoint at all"


def _open_file(file: Path) -> dict[str, StoredTensor]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="np") as opened:
            # no gaps are allowed between tensors, so order and size give their places
            order = [(name, opened.get_slice(name)) for name in opened.offset_keys()]
            specs = [(name, s.get_dtype(), tuple(s.get_shape())) for name, s in order]
    except SafetensorError as error:
        with file.open("rb") as start:
            pointer = start.read(40).startswith(b"version https://git-lfs")
        hint = (
            "it is a Git LFS pointer: `git lfs pull` fetches the file itself"
            if pointer
            else "it may be cut off: compare its size with the original, or fetch it again"
        )
        raise CheckpointError(
            f"{file}: expected a whole safetensors file, but {error}; {hint}"
        ) from None

    mapped = np.asarray(np.memmap(file, np.uint8, "r"))
    place = 8 + int.from_bytes(mapped[:8].tobytes(), "little")  # the header, after its length
    tensors = {}
    for name, kind, shape in specs:
        bits = int("".join(c for c in kind.partition("_")[0] if c.isdigit()) or 8)  # BOOL: 8
        end = place + int(np.prod(shape, dtype=np.int64)) * bits // 8
        tensors[name] = StoredTensor(name, kind, shape, file, mapped[place:end])
        place = end
    return tensors


def _open_shards(index: Path) -> dict[str, StoredTensor]:
    try:
        places: dict[str, Any] = json.loads(index.read_text("utf-8"))["weight_map"]
        shards = sorted(set(places.values()))
        strange = [name for name in shards if Path(name).name != name]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CheckpointError(
            f'{index}: expected JSON with "weight_map": {{tensor name: file name}}'
        ) from None
    if strange:
        raise CheckpointError(f"{index}: {strange[0]!r} is no name of a file in the same folder")
    tensors: dict[str, StoredTensor] = {}
    for name in shards:
        if not (index.parent / name).is_file():
            first = next(tensor for tensor, place in places.items() if place == name)
            raise FileNotFoundError(
                f"{index.parent / name}: missing, though {index.name} says that it holds {first}"
            )
        tensors |= _open_file(index.parent / name)
    for name, shard in places.items():
        if name not in tensors or tensors[name].file.name != shard:
            raise CheckpointError(f"{index}: {name} is not in {shard}, as it should be")
    return tensors
