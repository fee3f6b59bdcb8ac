"""Read a Hugging-Face-style config.json into a ModelConfig.

`hub_families.py` says what the keys of each model_type mean; here is the reading and checking.
hub_defaults.json has what an absent key means: published files leave out what equals the default
of the configuration class in transformers 5 (Gemma 3 files give neither vocabulary nor heads).
transformers itself is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.counting.config import ModelConfig
from course_lib.counting.hub_families import ALIASES, FAMILIES
from course_lib.validation import require_int


class ConfigError(ValueError):
    """A config.json that cannot be counted; the message gives the reason."""


def read_hub_config(path: str | Path) -> ModelConfig:
    """The model that a config.json (or a folder that holds one) describes.

    Raises ConfigError when the file is missing, no JSON object, of an unknown model_type, or holds
    a value that no model can have.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "config.json"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not a text file in UTF-8") from None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid JSON: {error}") from None
    config = from_hub(values)
    return config if config.name else replace(config, name=str(path))


def from_hub(values: object) -> ModelConfig:
    """The model that the parsed content of a config.json describes; its name is "" if it has none.

    In a multimodal file the text model is read from text_config. Raises ConfigError.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(f"a config.json holds one JSON object, got {type(values).__name__}")
    values = _text_part(values)
    model_type = _model_type(values)
    try:
        config = FAMILIES[model_type](_Keys(values, model_type))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{model_type} config: {error}") from None
    name = values.get("_name_or_path")
    return replace(config, name=name if isinstance(name, str) else "")


def _text_part(values: Mapping[str, Any]) -> Mapping[str, Any]:
    text = values.get("text_config")
    if values.get("model_type") in FAMILIES or text is None:
        return values
    if not isinstance(text, Mapping):
        raise ConfigError(f"text_config must be an object, got {text!r}")
    outer = {k: values[k] for k in ("_name_or_path", "tie_word_embeddings") if k in values}
    outer["model_type"] = f"{values.get('model_type')}_text"  # in case the part does not say
    return outer | dict(text)


def _model_type(values: Mapping[str, Any]) -> str:
    model_type = values.get("model_type")
    known = ", ".join(FAMILIES)
    if not isinstance(model_type, str):
        raise ConfigError(f"model_type is missing or no text; known are {known}")
    if model_type not in FAMILIES:
        near = get_close_matches(model_type, FAMILIES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ConfigError(f"model_type {model_type!r} cannot be counted{hint} (known: {known})")
    return model_type


@cache
def _defaults() -> dict[str, dict[str, Any]]:
    text = Path(__file__).with_name("hub_defaults.json").read_text(encoding="utf-8")
    defaults: dict[str, dict[str, Any]] = json.loads(text)
    return defaults


class _Keys:
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
