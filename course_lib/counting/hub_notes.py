"""What is said beside the count of a config.json: what was assumed, left out or not read.

`hub_config.py` calls `notes`; the page says the same in anatomy/static/hub_notes.js.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course_lib.counting.config import ModelConfig
from course_lib.counting.hub_foreign import classes_of, switched_off, unread
from course_lib.counting.hub_keys import HubKeys, hub_table, written


def notes(config: ModelConfig, keys: HubKeys, file: Mapping[str, Any]) -> str:
    """All that a reader of the count should know, in sentences.

    Args:
        config: the model as read.
        keys: the keys that it was read from: those of the whole file, or of its text_config.
        file: the whole file.
    """
    text, wrapped = keys.values, keys.values is not file
    foreign = unread(keys)
    inside = [key for key in foreign if _is_part(key, text[key])]
    parts = [k for k, v in file.items() if wrapped and k != "text_config" and _is_part(k, v)]
    others = [written(key) for key in foreign if key not in inside]
    sentences = (
        config.note,
        _without_head(config, keys),
        _listed("Not in the file, so taken from the defaults of " + keys.family, keys.assumed()),
        _text_alone(parts + inside, wrapped),
        _quantised(text) or _quantised(file),
        _listed(f"Not read, since {keys.family} has no such keys", others),
    )
    return ". ".join(filter(None, sentences))


def _without_head(config: ModelConfig, keys: HubKeys) -> str:
    """Why the checkpoint holds less, where the file is that of a model without a head (LlamaModel).

    A tied head is no tensor of its own, so that a missing one changes nothing.
    """
    heads, classes = tuple(hub_table("known")["heads"]), classes_of(keys)
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
