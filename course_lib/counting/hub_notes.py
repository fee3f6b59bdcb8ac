"""What is said beside the count of a config.json: what was assumed, left out or not read.

`hub_config.py` calls `notes`; the page says the same in anatomy/static/hub_notes.js.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course_lib.counting.config import ModelConfig
from course_lib.counting.hub_keys import ConfigError, HubKeys, hub_table, switched_off, written


def notes(
    config: ModelConfig,
    keys: HubKeys,
    file: Mapping[str, Any],
    text: Mapping[str, Any],
    family: str,
) -> str:
    """All that a reader of the count should know, in sentences.

    Args:
        config: the model as read.
        keys: the keys it was read from.
        file: the whole file.
        text: the part of it that describes the text model; `file` itself in most.
        family: the model_type of `text`.
    """
    unread = keys.unread()
    parts = [key for key in unread if _is_part(key, text[key])]
    others = [written(key) for key in unread if key not in parts]
    if text is not file:
        parts = [key for key, v in file.items() if key != "text_config" and _is_part(key, v)]
    sentences = (
        config.note,
        _without_head(config, text, family),
        _listed("Not in the file, so taken from the defaults of " + family, keys.assumed()),
        _text_alone(parts, wrapped=text is not file),
        _quantised(text) or _quantised(file),
        _listed(f"Not read, since {family} has no such keys", others),
    )
    return ". ".join(filter(None, sentences))


def check_classes(text: Mapping[str, Any], family: str) -> None:
    """Raises ConfigError where `architectures` names a class that is none of the family's own."""
    known = hub_table("known")
    endings = known["heads"] + known["headless"]
    own = {(stem + end).lower() for stem in known["classes"][family] for end in endings}
    for name in _classes(text):
        if name.lower() not in own:
            raise ConfigError(f"architectures names {written(name)}, which is no class of {family}")


def _classes(text: Mapping[str, Any]) -> list[str]:
    listed = [] if switched_off(value := text.get("architectures")) else value
    listed = [listed] if isinstance(listed, str) else listed
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise ConfigError(f"architectures must be a list of class names, got {written(listed)}")
    return listed


def _without_head(config: ModelConfig, text: Mapping[str, Any], family: str) -> str:
    """Why the checkpoint holds less, where the file is that of a model without a head (LlamaModel).

    A tied head is no tensor of its own, so that a missing one changes nothing.
    """
    heads, classes = tuple(hub_table("known")["heads"]), _classes(text)
    if config.tied or not classes or any(name.endswith(heads) for name in classes):
        return ""
    return (
        f"Counted with a head of {config.V * config.d_embed:,}, as the causal language model of "
        f"this family has; {classes[0]} stores none"
    )


def _is_part(key: str, value: object) -> bool:
    """vision_config and the like, which describe another network beside the text model."""
    harmless = hub_table("known")["harmless"]
    return key.endswith("_config") and isinstance(value, dict) and key not in harmless


def _text_alone(parts: list[str], wrapped: bool) -> str:
    if not wrapped and not parts:
        return ""
    return (
        _listed("Only the text part is counted, not", parts, " ") or "Only text_config is counted"
    )


def _quantised(values: Mapping[str, Any]) -> str:
    given = values.get("quantization_config") or values.get("quantization")  # the latter in MLX
    if switched_off(given):
        return ""
    given = given if isinstance(given, dict) else {"quant_method": given}
    loaded = [n for n in (4, 8) if given.get(f"load_in_{n}bit") is True]  # bitsandbytes
    bits = [given[key] for key in ("bits", "w_bit") if type(given.get(key)) is int] + loaded
    method = given.get("quant_method")
    said = [method] if isinstance(method, str) else []
    kind = ", ".join(said + [f"{n} bits" for n in bits[:1]])
    return (
        f"Stored quantised{kind and f' ({kind})'}: the bytes of the weights are those of 16 bits a "
        "parameter, or of the width named beside them"
    )


def _listed(sentence: str, items: list[str], sep: str = ": ") -> str:
    """The sentence with the first twelve items; "" for none."""
    more = f" and {len(items) - 12} more" if len(items) > 12 else ""
    return f"{sentence}{sep}{', '.join(items[:12])}{more}" if items else ""
