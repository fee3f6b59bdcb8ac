"""The keys of one config.json: which a family has, their other names, their defaults, their checks.

hub_defaults.json lists the keys that bear on shapes, with what an absent one means: published files
leave out what equals the default of the configuration class in transformers 5 (Gemma 3 files give
neither vocabulary nor heads); null stands where none is fixed. hub_known.json has the keys
that bear on no shape, and the words by which a key that nobody knows looks as if it did.
"""

from __future__ import annotations

import json
import re
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
        self._values = values
        self._family = model_type
        self._defaults: dict[str, Any] = hub_table("defaults")[model_type]
        self._aliases = ALIASES.get(model_type, {})

    def number(self, key: str, low: int = 1) -> int:
        """A whole number of at least `low`."""
        value = self._find(key)
        if value is None:
            raise ConfigError(
                f"{key} is missing or null; it must be a whole number of at least {low}"
            )
        return _whole(key, value, low)

    def number_or(self, key: str, otherwise: int, low: int = 1) -> int:
        """A whole number, or `otherwise` where the key is absent or null."""
        value = self._find(key)
        return otherwise if value is None else _whole(key, value, low)

    def sizes(self, *pairs: str) -> dict[str, Any]:
        """{"V": 512, "d": 64} for "V:vocab_size", "d:hidden_size", each at least 1."""
        named = (pair.split(":") for pair in pairs)
        return {field: self.number(key) for field, key in named}

    def flag(self, key: str) -> bool:
        """True or False."""
        value = self._find(key)
        if not isinstance(value, bool):
            raise ConfigError(f"{key} must be true or false, got {written(value)}")
        return value

    def indices(self, key: str) -> list[int]:
        """A list of 0-based block numbers; empty where the key is absent or null."""
        value = self._find(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise ConfigError(f"{key} must be a list of block numbers, got {written(value)}")
        return [_whole(f"{key}[{i}]", index, low=0) for i, index in enumerate(value)]

    def described_blocks(self, key: str) -> int | None:
        """24 for [[["global", "local"], 12]], which repeats two kinds 12 times; None if absent."""
        value = self._find(key)
        if value is None:
            return None
        try:
            return sum(len(list(kinds)) * _whole(key, repeats, 1) for kinds, repeats in value)
        except (TypeError, ValueError):
            raise ConfigError(
                f'{key} must look like [[["global", "local"], 12]], got {written(value)}'
            ) from None

    def _find(self, key: str) -> Any:
        names = self._names(key)
        found = {name: self._values[name] for name in names if self._values.get(name) is not None}
        if len({written(value) for value in found.values()}) > 1:
            pairs = ", ".join(f"{name} = {written(value)}" for name, value in found.items())
            raise ConfigError(f"two keys contradict each other: {pairs}")
        if found:
            return next(iter(found.values()))
        return self._defaults[key] if self._absent(key) else None

    def assumed(self) -> list[str]:
        """The sizes that the file leaves to the defaults, and the tie: "vocab_size = 32000"."""
        return [
            f"{key} = {written(value)}"
            for key, value in self._defaults.items()
            if self._absent(key) and (type(value) is int or key == "tie_word_embeddings")
        ]

    def refuse_foreign(self) -> None:
        """Raises ConfigError for a key of another architecture: one that may change shapes."""
        shaping = [key for key in self._foreign() if _words(key) & _known("words_of_shapes")]
        if shaping:
            pairs = ", ".join(f"{written(key)}: {written(self._values[key])}" for key in shaping)
            raise ConfigError(f"keys that it does not have, and that may change shapes: {pairs}")

    def refuse_other_outside(self, wrapper: Mapping[str, Any]) -> None:
        """Raises ConfigError where the file around text_config states another size than it."""
        for key in self._defaults:
            for name in self._names(key) if key != "tie_word_embeddings" else ():
                outside, inside = wrapper.get(name), self._find(key)
                if not switched_off(outside) and written(outside) != written(inside):
                    raise ConfigError(
                        f"{name} is {written(outside)} outside text_config, "
                        f"but {key} {written(inside)} in it or by default"
                    )

    def unread(self) -> list[str]:
        """The keys in use that this family does not have."""
        return [key for key in self._foreign() if not _words(key) & _known("words_of_shapes")]

    def _foreign(self) -> list[str]:
        names = {name for key in self._defaults for name in self._names(key)}
        names |= _known("harmless") | set(hub_table("known")["harmless_in"].get(self._family, ()))
        return [
            key
            for key, value in self._values.items()
            if key not in names
            and not switched_off(value)
            and not _harmless_as(key, value)
            and not self._restates(key, value)
            and not _words(key) & _known("words_of_no_shapes")
        ]

    def _restates(self, key: str, value: object) -> bool:
        """Whether a name of another convention says what the family's own key says."""
        groups = [group for group in hub_table("known")["same_size"] if key in group]
        return any(
            value == self._find(own) for group in groups for own in group if own in self._defaults
        )

    def _names(self, key: str) -> list[str]:
        return list(dict.fromkeys((key, *self._aliases.get(key, ()))))

    def _absent(self, key: str) -> bool:
        return not any(name in self._values for name in self._names(key))


def _whole(key: str, value: object, low: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON does not tell 4096.0 from 4096
    if type(value) is not int or value < low:
        raise ConfigError(f"{key} must be a whole number of at least {low}, got {written(value)}")
    if value > _LARGEST:
        raise ConfigError(f"{key} is too large to count exactly")
    return value


def switched_off(value: object) -> bool:
    """Null, false, 0 or empty: what the key is about is not there."""
    return value in (None, False, "", [], {})  # 0, too, equals False


def _words(key: str) -> set[str]:
    """hidden_dim, hiddenDim -> {"hidden", "dim"}."""
    return set(re.findall("[a-z]+", re.sub("([a-z0-9])([A-Z])", r"\1_\2", key).lower()))


def _harmless_as(key: str, value: object) -> bool:
    """Whether all that a list names, or one word, is among the harmless ones."""
    allowed = hub_table("known")["harmless_if"].get(key, ())
    return all(one in allowed for one in (value if isinstance(value, list) else [value]))


def _known(name: str) -> set[str]:
    return set(hub_table("known")[name])
