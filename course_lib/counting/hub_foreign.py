"""Signs in a config.json that it describes another architecture than its model_type says.

A class, a key or a size that does not belong there is refused, since the count would be wrong.
hub_known.json has the classes of each family, the keys that bear on no shape, and the words by
which a key that nobody knows looks as if it did.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course_lib.counting.hub_keys import ConfigError, HubKeys, hub_table, written


def classes_of(keys: HubKeys) -> list[str]:
    """The classes that `architectures` names. Raises ConfigError where it is no list of them."""
    listed = [] if switched_off(given := keys.values.get("architectures")) else given
    listed = [listed] if isinstance(listed, str) else listed
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise ConfigError(f"architectures must be a list of class names, got {written(listed)}")
    return listed


def refuse_foreign_classes(keys: HubKeys) -> None:
    """Raises ConfigError where `architectures` names a class that is none of the family's own."""
    known = hub_table("known")
    endings = known["heads"] + known["headless"]
    own = {(stem + end).lower() for stem in known["classes"][keys.family] for end in endings}
    for name in classes_of(keys):
        if name.lower() not in own:
            raise ConfigError(
                f"architectures names {written(name)}, which is no class of {keys.family}"
            )


def refuse_foreign_keys(keys: HubKeys) -> None:
    """Raises ConfigError for a key of another architecture: one that may change shapes."""
    shaping = [key for key in _foreign(keys) if _words(key) & _known("words_of_shapes")]
    if shaping:
        pairs = ", ".join(f"{written(key)}: {written(keys.values[key])}" for key in shaping)
        raise ConfigError(f"keys that it does not have, and that may change shapes: {pairs}")


def refuse_other_sizes(keys: HubKeys, wrapper: Mapping[str, Any]) -> None:
    """Raises ConfigError where the file around text_config states another size than it."""
    for key in keys.own:
        for name in keys.names(key) if key != "tie_word_embeddings" else ():
            outside, inside = wrapper.get(name), keys.find(key)
            if not switched_off(outside) and written(outside) != written(inside):
                raise ConfigError(
                    f"{name} is {written(outside)} outside text_config, "
                    f"but {key} {written(inside)} in it or by default"
                )


def unread(keys: HubKeys) -> list[str]:
    """The keys in use that this family does not have, and that bear on no shape by their name."""
    return [key for key in _foreign(keys) if not _words(key) & _known("words_of_shapes")]


def switched_off(value: object) -> bool:
    """Null, false, 0 or empty: what the key is about is not there."""
    return value in (None, False, "", [], {})  # 0, too, equals False


def _foreign(keys: HubKeys) -> list[str]:
    names = {name for key in keys.own for name in keys.names(key)}
    names |= _known("harmless") | set(hub_table("known")["harmless_in"].get(keys.family, ()))
    return [
        key
        for key, value in keys.values.items()
        if key not in names
        and not switched_off(value)
        and not _harmless_as(key, value)
        and not _restates(keys, key)
        and not _words(key) & _known("words_of_no_shapes")
    ]


def _harmless_as(key: str, value: object) -> bool:
    """Whether all that a list names, or one word, is among the harmless ones."""
    allowed = hub_table("known")["harmless_if"].get(key, ())
    return all(one in allowed for one in (value if isinstance(value, list) else [value]))


def _restates(keys: HubKeys, key: str) -> bool:
    """Whether a name of another convention says what the family's own key says."""
    groups = [group for group in hub_table("known")["same_size"] if key in group]
    own = [name for group in groups for name in group if name in keys.own]
    return any(keys.values[key] == keys.find(name) for name in own)


def _words(key: str) -> set[str]:
    """hidden_dim, hiddenDim -> {"hidden", "dim"}."""
    return set(re.findall("[a-z]+", re.sub("([a-z0-9])([A-Z])", r"\1_\2", key).lower()))


def _known(name: str) -> set[str]:
    return set(hub_table("known")[name])
