"""What the page knows when it opens: models, rules of their tensors, allowed choices."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from course_lib.anatomy.rules import saved
from course_lib.counting import MODELS, ModelConfig
from course_lib.counting.config import BIASES, NORMS, PARALLEL, PLACEMENTS, POSITIONS, QK_NORMS
from course_lib.counting.hub_families import ALIASES
from course_lib.counting.hub_keys import hub_table

_ALWAYS = ("V", "T", "d", "L", "h")
_OF_THE_BASE = ("source", "note", "published", "V_used")  # not true of an edited model
_TEXTS = ("name", "source", "note", "published", "V_used")  # change no shape


def payload() -> dict[str, Any]:
    """Everything as plain JSON values; `static/model.js` reads it."""
    return {
        "models": [as_fields(config) for config in MODELS.values()],
        "rules": saved(),
        "defaults": _defaults(),
        "choices": {
            "norm": list(NORMS),
            "placement": list(PLACEMENTS),
            "parallel": list(PARALLEL),
            "qk_norm": list(QK_NORMS),
            "positions": list(POSITIONS),
            "biases": sorted(BIASES),
        },
        "hub": {
            "defaults": hub_table("defaults"),
            "aliases": ALIASES,
            "known": hub_table("known"),
        },
    }


def _defaults() -> dict[str, Any]:
    """What a field is when it is left out, for those that do not follow from others."""
    plain = {f.name: f.default for f in fields(ModelConfig) if f.name not in _TEXTS}
    listed = {k: v for k, v in plain.items() if v is not MISSING and v is not None}
    return {k: sorted(v) if isinstance(v, frozenset) else v for k, v in listed.items()}


def as_fields(config: ModelConfig) -> dict[str, Any]:
    """The fields of a model without those that ModelConfig would fill in by itself."""
    given = {f.name: getattr(config, f.name) for f in fields(config)}
    kept: dict[str, Any] = {}
    for name, value in given.items():
        if name in _TEXTS:
            needed = bool(value)
        elif name in _ALWAYS:
            needed = True
        else:
            needed = not _filled_in(config, {k: v for k, v in given.items() if k != name})
        if needed:
            kept[name] = sorted(value) if isinstance(value, frozenset) else value
    return kept


def _filled_in(config: ModelConfig, others: dict[str, Any]) -> bool:
    try:
        return ModelConfig(**others) == config
    except ValueError:  # h does not divide d, so d_k must be given
        return False


def from_fields(base: dict[str, Any], edits: dict[str, Any]) -> ModelConfig:
    """A model with some fields changed; None takes a field away, so that it is filled in anew.

    The name says that it was edited, unless the edits give one; a note is kept if they give it, as
    those of a file do. Raises what ModelConfig raises.
    """
    kept = {k: v for k, v in base.items() if k not in _OF_THE_BASE}
    own = {k: v for k, v in edits.items() if k not in _OF_THE_BASE or k == "note"}
    changed = {k: v for k, v in (kept | own).items() if v is not None}
    changed["name"] = edits.get("name") or f"{base['name']}, edited"
    for name in ("biases", "dense_blocks"):
        if name in changed:
            changed[name] = frozenset(changed[name])
    return ModelConfig(**changed)
