"""The keys of one config.json: their other names, their defaults, their checks.

hub_defaults.json has what an absent key means: published files leave out what equals the default
of the configuration class in transformers 5 (Gemma 3 files give neither vocabulary nor heads).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.counting.hub_families import ALIASES
from course_lib.validation import require_int


class ConfigError(ValueError):
    """A config.json that cannot be counted; the message gives the reason."""


@cache
def _defaults() -> dict[str, dict[str, Any]]:
    text = Path(__file__).with_name("hub_defaults.json").read_text(encoding="utf-8")
    defaults: dict[str, dict[str, Any]] = json.loads(text)
    return defaults


class HubKeys:
    """The values of a config under their own or their older names, with the family's defaults."""

    def __init__(self, values: Mapping[str, Any], model_type: str) -> None:
        self._values = values
        self._defaults = _defaults()[model_type]
        self._aliases = ALIASES.get(model_type, {})

    def number(self, key: str, low: int = 1) -> int:
        """A whole number of at least `low`."""
        value = self._find(key)
        if value is None:
            raise ConfigError(
                f"{key} is missing or null; it must be a whole number of at least {low}"
            )
        return require_int(key, value, low)

    def number_or(self, key: str, otherwise: int, low: int = 1) -> int:
        """A whole number, or `otherwise` where the key is absent or null."""
        value = self._find(key)
        return otherwise if value is None else require_int(key, value, low)

    def flag(self, key: str) -> bool:
        """True or False."""
        value = self._find(key)
        if not isinstance(value, bool):
            raise ConfigError(f"{key} must be true or false, got {value!r}")
        return value

    def indices(self, key: str) -> list[int]:
        """A list of 0-based block numbers; empty where the key is absent or null."""
        value = self._find(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise ConfigError(f"{key} must be a list of block numbers, got {value!r}")
        return [require_int(f"{key}[{i}]", index, low=0) for i, index in enumerate(value)]

    def raw(self, key: str) -> Any:
        """The value as it stands in the file, or the family's default."""
        return self._find(key)

    def _find(self, key: str) -> Any:
        names = dict.fromkeys((key, *self._aliases.get(key, ())))
        found = {name: self._values[name] for name in names if self._values.get(name) is not None}
        if len({repr(value) for value in found.values()}) > 1:
            pairs = ", ".join(f"{name} = {value!r}" for name, value in found.items())
            raise ConfigError(f"two keys contradict each other: {pairs}")
        if found:
            return next(iter(found.values()))
        written_as_null = any(name in self._values for name in names)
        return None if written_as_null else self._defaults.get(key)
