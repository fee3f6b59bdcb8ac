"""The keys of one config.json: which a family has, their other names, their defaults, their checks.

hub_defaults.json lists the keys that bear on shapes, with what an absent one means: published files
leave out what equals the default of the configuration class in transformers 5 (Gemma 3 files give
neither vocabulary nor heads); null stands where none is fixed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.counting.hub_families import ALIASES

_LARGEST = 2**53 - 1  # beyond it the page, which computes in doubles, would round


class ConfigError(ValueError):
    """A config.json that cannot be counted; the message gives the reason."""


@cache
def hub_table(name: str) -> dict[str, Any]:
    """hub_defaults.json or hub_known.json."""
    text = Path(__file__).with_name(f"hub_{name}.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def written(value: object) -> str:
    """The value as a config.json writes it, on one short line; half a symbol by its number."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float):
        text = text.replace("e-0", "e-")  # 1e-5, as the page has it
    return text if len(text) <= 60 else text[:59] + "…"


class HubKeys:
    """The values of a config under their own or their older names, with the family's defaults."""

    def __init__(self, values: Mapping[str, Any], model_type: str) -> None:
        self.values = values
        self.family = model_type
        self.own: dict[str, Any] = hub_table("defaults")[model_type]
        self._aliases = ALIASES.get(model_type, {})

    def number(self, key: str, low: int = 1) -> int:
        """A whole number of at least `low`."""
        value = self.find(key)
        if value is None:
            raise ConfigError(
                f"{key} is missing or null; it must be a whole number of at least {low}"
            )
        return _whole(key, value, low)

    def number_or(self, key: str, otherwise: int, low: int = 1) -> int:
        """A whole number, or `otherwise` where the key is absent or null."""
        value = self.find(key)
        return otherwise if value is None else _whole(key, value, low)

    def sizes(self, *pairs: str) -> dict[str, Any]:
        """{"V": 512, "d": 64} for "V:vocab_size", "d:hidden_size", each at least 1."""
        named = (pair.split(":") for pair in pairs)
        return {field: self.number(key) for field, key in named}

    def flag(self, key: str) -> bool:
        """True or False."""
        value = self.find(key)
        if not isinstance(value, bool):
            raise ConfigError(f"{key} must be true or false, got {written(value)}")
        return value

    def indices(self, key: str) -> list[int]:
        """A list of 0-based block numbers; empty where the key is absent or null."""
        value = self.find(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise ConfigError(f"{key} must be a list of block numbers, got {written(value)}")
        return [_whole(f"{key}[{i}]", index, low=0) for i, index in enumerate(value)]

    def described_blocks(self, key: str) -> int | None:
        """24 for [[["global", "local"], 12]], which repeats two kinds 12 times; None if absent."""
        value = self.find(key)
        if value is None:
            return None
        try:
            return sum(len(list(kinds)) * _whole(key, repeats, 1) for kinds, repeats in value)
        except (TypeError, ValueError):
            raise ConfigError(
                f'{key} must look like [[["global", "local"], 12]], got {written(value)}'
            ) from None

    def find(self, key: str) -> Any:
        """The value under any of the key's names, or the default; None where it is null."""
        names = self.names(key)
        found = {name: self.values[name] for name in names if self.values.get(name) is not None}
        if len({written(value) for value in found.values()}) > 1:
            pairs = ", ".join(f"{name} = {written(value)}" for name, value in found.items())
            raise ConfigError(f"two keys contradict each other: {pairs}")
        if found:
            return next(iter(found.values()))
        return self.own[key] if self._absent(key) else None

    def assumed(self) -> list[str]:
        """The sizes that the file leaves to the defaults, and the tie: "vocab_size = 32000"."""
        return [
            f"{key} = {written(value)}"
            for key, value in self.own.items()
            if self._absent(key) and (type(value) is int or key == "tie_word_embeddings")
        ]

    def names(self, key: str) -> list[str]:
        """The key and its older names."""
        return list(dict.fromkeys((key, *self._aliases.get(key, ()))))

    def _absent(self, key: str) -> bool:
        return not any(name in self.values for name in self.names(key))


def _whole(key: str, value: object, low: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON does not tell 4096.0 from 4096
    if type(value) is not int or value < low:
        raise ConfigError(f"{key} must be a whole number of at least {low}, got {written(value)}")
    if value > _LARGEST:
        raise ConfigError(f"{key} is too large to count exactly")
    return value
