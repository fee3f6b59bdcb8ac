"""Read a Hugging-Face-style config.json into a ModelConfig.

`hub_families.py` says what the keys of each model_type mean, `hub_keys.py` looks them up and checks
them, `hub_foreign.py` refuses those of another architecture, `hub_notes.py` says what the count
leaves open; here is the file around them. transformers itself is not needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from course_lib.counting.config import ModelConfig
from course_lib.counting.hub_families import FAMILIES
from course_lib.counting.hub_foreign import (
    refuse_foreign_classes,
    refuse_foreign_keys,
    refuse_other_sizes,
)
from course_lib.counting.hub_keys import ConfigError, HubKeys, written
from course_lib.counting.hub_notes import notes

__all__ = ["ConfigError", "from_hub", "parse", "read_hub_config"]

_MOST_BYTES = 10_000_000


def read_hub_config(path: str | Path) -> ModelConfig:
    """The model that a config.json (or a folder that holds one) describes.

    Raises ConfigError when the file is missing, no JSON object, of an unknown model_type, or holds
    a value that no model can have, or a key that another architecture has.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "config.json"
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    try:
        config = from_hub(parse(_text(content)))
    except ConfigError as error:
        raise ConfigError(f"{path} was refused: {error}") from None
    return config if config.name else replace(config, name=str(path))


def _text(content: bytes) -> str:
    if len(content) > _MOST_BYTES:
        raise ConfigError("it is larger than 10 MB, as no config.json is")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError("it is not a text file in UTF-8") from None


def parse(text: str) -> object:
    """The JSON value of a text, a whole number such as 4096.0 as int. Raises ConfigError."""
    try:
        return json.loads(text, parse_float=_number, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ConfigError("it is not valid JSON") from None


def _number(digits: str) -> float:
    value = float(digits)
    return int(value) if value.is_integer() else value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def from_hub(values: object) -> ModelConfig:
    """The model that the parsed content of a config.json describes; its name is "" if it has none.

    In a multimodal file the text model is read from text_config. What the count assumes or leaves
    out stands in its note. Raises ConfigError.
    """
    if not isinstance(values, Mapping):
        raise ConfigError("a config.json holds one JSON object")
    text = _text_part(values)
    family = _model_type(text)
    keys = HubKeys(text, family)
    try:
        refuse_foreign_classes(keys)
        refuse_foreign_keys(keys)
        if text is not values:
            refuse_other_sizes(keys, values)
        fields = FAMILIES[family](keys)
        config = ModelConfig(**fields, tied=keys.flag("tie_word_embeddings"))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{family} config: {error}") from None
    name = text.get("_name_or_path")
    return replace(
        config,
        name=name if isinstance(name, str) else "",
        note=notes(config, keys, values),
    )


def _text_part(values: Mapping[str, Any]) -> Mapping[str, Any]:
    text, model_type = values.get("text_config"), values.get("model_type")
    if text is None or (isinstance(model_type, str) and model_type in FAMILIES):
        return values
    if not isinstance(text, Mapping):
        raise ConfigError(f"text_config must be an object, got {written(text)}")
    outer = {k: values[k] for k in ("_name_or_path", "tie_word_embeddings") if k in values}
    if isinstance(model_type, str):
        outer["model_type"] = f"{model_type}_text"  # in case the part does not say
    return outer | dict(text)


def _model_type(values: Mapping[str, Any]) -> str:
    model_type = values.get("model_type")
    known = ", ".join(FAMILIES)
    if not isinstance(model_type, str):
        raise ConfigError(f"model_type is missing or no text; known are {known}")
    if model_type not in FAMILIES:
        meant = next((family for family in FAMILIES if _misspelt(model_type, family)), "")
        hint = f"; did you mean {meant}?" if meant else ""
        raise ConfigError(
            f"model_type {written(model_type)} cannot be counted{hint} (known: {known})"
        )
    return model_type


def _misspelt(given: str, family: str) -> bool:
    """Whether other signs, or one slip in a longer name, tell the two apart.

    Another number (qwen2_moe) is another architecture, no slip.
    """
    a, b = _letters(given), _letters(family)
    if a == b or min(len(a), len(b)) < 7 or re.sub("[a-z]", "", a) != re.sub("[a-z]", "", b):
        return a == b
    return bool(({a} | _one_less(a)) & ({b} | _one_less(b)))


def _one_less(text: str) -> set[str]:
    return {text[:i] + text[i + 1 :] for i in range(min(len(text), 20))}


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
