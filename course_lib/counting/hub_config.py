"""Read a Hugging-Face-style config.json into a ModelConfig.

`hub_families.py` says what the keys of each model_type mean, `hub_keys.py` looks them up and checks
them; here is the file around them. transformers itself is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from course_lib.counting.config import ModelConfig
from course_lib.counting.hub_families import FAMILIES
from course_lib.counting.hub_keys import ConfigError, HubKeys

__all__ = ["ConfigError", "from_hub", "read_hub_config"]

_WITH_HEAD = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


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
        config = FAMILIES[model_type](HubKeys(values, model_type))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{model_type} config: {error}") from None
    name = values.get("_name_or_path")
    notes = filter(None, (config.note, _without_head(values, config)))
    return replace(config, name=name if isinstance(name, str) else "", note=". ".join(notes))


def _without_head(values: Mapping[str, Any], config: ModelConfig) -> str:
    """Why the checkpoint holds less, where the file is that of a model without a head (LlamaModel).

    A tied head is no tensor of its own, so that a missing one changes nothing.
    """
    listed = values.get("architectures")
    classes = [c for c in listed if isinstance(c, str)] if isinstance(listed, list) else []
    if config.tied or not classes or any(c.endswith(_WITH_HEAD) for c in classes):
        return ""
    return (
        f"Counted with a head of {config.V * config.d_embed:,}, as the causal language model of "
        f"this family has; {classes[0]} stores none"
    )


def _text_part(values: Mapping[str, Any]) -> Mapping[str, Any]:
    text, model_type = values.get("text_config"), values.get("model_type")
    if text is None or (isinstance(model_type, str) and model_type in FAMILIES):
        return values
    if not isinstance(text, Mapping):
        raise ConfigError(f"text_config must be an object, got {text!r}")
    outer = {k: values[k] for k in ("_name_or_path", "tie_word_embeddings") if k in values}
    outer["model_type"] = f"{model_type}_text"  # in case the part does not say
    return outer | dict(text)


def _model_type(values: Mapping[str, Any]) -> str:
    model_type = values.get("model_type")
    known = ", ".join(FAMILIES)
    if not isinstance(model_type, str):
        raise ConfigError(f"model_type is missing or no text; known are {known}")
    if model_type not in FAMILIES:
        meant = _misspelt(model_type)
        hint = f"; did you mean {meant}?" if meant else ""
        raise ConfigError(f"model_type {model_type!r} cannot be counted{hint} (known: {known})")
    return model_type


def _misspelt(model_type: str) -> str:
    """The family meant, or "": another number (qwen2_moe) is another architecture, no slip."""
    plain = {_letters(family): family for family in FAMILIES}
    for near in get_close_matches(_letters(model_type), plain, n=3, cutoff=0.92):
        if _digits(near) == _digits(model_type):
            return plain[near]
    return ""


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())
