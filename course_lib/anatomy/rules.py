"""The rules by which the page lists a model's tensors, read off `counting` itself.

A page without Python must count models that its reader makes up. So that no shape is written down
twice, the rules are not written by hand: `derive()` asks `counting.tensors` for the tensors of many
different configurations and notes for each kind of tensor under which choices it occurs. What is
derived is checked against configurations not used before. `rules.json` holds the result, as
`python -m course_lib.anatomy --rules` writes it; the page evaluates it (static/tensors.js).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from course_lib.counting import ModelConfig, Tensor, tensors
from course_lib.counting.config import (
    BIASES,
    NORMS,
    PARALLEL,
    PLACEMENTS,
    POSITIONS,
    QK_NORMS,
)

Choices = dict[str, str | bool]
Kind = tuple[str, str, str, tuple[str, ...], bool]  # name, part, kind, shape, matmul

RULES = Path(__file__).with_name("rules.json")
EQUALITIES = ("d_embed = d", "d_v = d_k")
PRESENCES = ("position_offset", "experts", "experts_shared", "q_latent", "kv_latent")
_VALUES = ("norm", "placement", "parallel", "qk_norm", "positions")
_FLAGS = ("final_norm", "embedding_norm", "gated", "tied")


def choices(c: ModelConfig, block: int | None) -> Choices:
    """What decides which tensors there are: the choices of a model, and of one of its blocks.

    Keys: a field ("norm"), one kind of bias ("biases: q"), "a = b" for two fields, "a > 0" for one,
    and "routed", whether this block has experts. The page computes the same from the key's form.
    """
    made: Choices = {name: getattr(c, name) for name in (*_VALUES, *_FLAGS)}
    made |= {f"biases: {kind}": kind in c.biases for kind in sorted(BIASES)}
    for pair in EQUALITIES:
        left, right = pair.split(" = ")
        made[pair] = getattr(c, left) == getattr(c, right)
    made |= {f"{name} > 0": getattr(c, name) > 0 for name in PRESENCES}
    if block is not None:
        made["routed"] = c.experts > 0 and block not in c.dense_blocks
    return made


def derive(examples: int = 3000, unseen: int = 500, seed: int = 14) -> list[dict[str, Any]]:
    """The rules, one for each kind of tensor, in the order in which a token meets them.

    A rule: name ("blocks.{i}.attention.W_Q"), part, kind, shape in symbols, matmul, routed (a token
    visits some of the experts), and `when`: for each choice that matters, the values that allow it.

    Raises AssertionError if the rules do not give the tensors of `unseen` further configurations:
    then a tensor depends on something that `choices` does not know, or not on each choice alone.
    """
    rng = random.Random(seed)
    seen: dict[str, set[str | bool]] = {}
    kinds: dict[Kind, dict[bool, dict[str, set[str | bool]]]] = {}  # kind, latent -> allowed values
    after: dict[str, TopologicalSorter[Kind]] = {}  # place in the model -> what follows what
    routed: set[Kind] = set()
    for _ in range(examples):
        c = random_config(rng)
        before: Kind | None = None
        for t in tensors(c):
            made, kind = choices(c, t.block), _kind(c, t)
            halves = kinds.setdefault(kind, {})
            allowed = halves.setdefault(c.kv_latent > 0, {name: set() for name in made})
            for name, value in made.items():
                allowed[name].add(value)
                seen.setdefault(name, set()).add(value)
            place = _place(kind[0])
            earlier = [before] if before and _place(before[0]) == place else []
            after.setdefault(place, TopologicalSorter()).add(kind, *earlier)
            before = kind
            if t.active < t.count:
                routed.add(kind)
    rules = [
        dict(zip(("name", "part", "kind", "shape", "matmul"), kind, strict=True))
        | {"shape": list(kind[3]), "routed": kind in routed, "when": when}
        for place in after.values()
        for kind in place.static_order()
        for when in _conditions(kinds[kind], seen)
    ]
    for _ in range(unseen):
        _check(rules, random_config(rng))
    return rules


def saved() -> list[dict[str, Any]]:
    """The rules as rules.json holds them."""
    rules: list[dict[str, Any]] = json.loads(RULES.read_text(encoding="utf-8"))
    return rules


def as_json(rules: list[dict[str, Any]]) -> str:
    """The text of rules.json: one rule a line."""
    return "[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rules) + "\n]\n"


def _conditions(
    halves: dict[bool, dict[str, set[str | bool]]], seen: dict[str, set[str | bool]]
) -> list[dict[str, list[str | bool]]]:
    """The choices that matter: one condition, or two where latent attention needs its own."""
    conditions: dict[bool, dict[str, list[str | bool]]] = {}
    for latent, allowed in sorted(halves.items()):
        without = {"kv_latent > 0"} if latent else {"kv_latent > 0", "q_latent > 0"}
        conditions[latent] = {
            name: sorted(values, key=str)
            for name, values in allowed.items()
            if values != seen[name] and name not in without
        }
    if len(conditions) == 2 and conditions[False] == conditions[True]:
        return [conditions[True]]
    for latent, when in conditions.items():
        when["kv_latent > 0"] = [latent]
    return list(conditions.values())


def listed(rules: list[dict[str, Any]], c: ModelConfig) -> Counter[Kind]:
    """What the rules list for a model: each kind of tensor and how many there are of it."""
    found: Counter[Kind] = Counter()
    for block in (None, *range(c.L)):
        made = choices(c, block)
        for rule in rules:
            inside = rule["name"].startswith("blocks.")
            if inside == (block is not None) and all(
                made[name] in values for name, values in rule["when"].items()
            ):
                shape = tuple(rule["shape"])
                found[rule["name"], rule["part"], rule["kind"], shape, rule["matmul"]] += 1
    return found


def _check(rules: list[dict[str, Any]], c: ModelConfig) -> None:
    wanted = Counter(_kind(c, t) for t in tensors(c))
    got = listed(rules, c)
    if got != wanted:
        raise AssertionError(
            f"the rules list other tensors than counting does for {c}: "
            f"missing {wanted - got}, too many {got - wanted}"
        )


def _place(name: str) -> str:
    return name.removeprefix("blocks.{i}.").partition(".")[0]


@cache
def _template(name: str, block: int) -> str:
    return "blocks.{i}." + name.removeprefix(f"blocks.{block}.")


def _kind(c: ModelConfig, t: Tensor) -> Kind:
    """The tensor without what differs between blocks and models: the index and the numbers."""
    name = t.name if t.block is None else _template(t.name, t.block)
    shifted = f"T + {c.position_offset}"
    shape = tuple("T + position_offset" if s == shifted else s for s in t.symbols)
    return name, t.part, t.kind, shape, t.matmul


def random_config(rng: random.Random) -> ModelConfig:
    """A valid configuration with small sizes and every choice drawn, rare ones often enough."""
    h_kv = rng.choice((1, 2, 3))
    d_k = 2 * rng.randint(1, 5)
    L = rng.randint(1, 3)
    fields: dict[str, Any] = {
        "V": rng.randint(5, 60),
        "T": rng.randint(1, 40),
        "d": rng.randint(3, 40),
        "L": L,
        "h_kv": h_kv,
        "h": h_kv * rng.choice((1, 2, 4)),
        "d_k": d_k,
        "d_v": d_k if rng.random() < 0.5 else rng.randint(1, 12),
        "d_ff": rng.randint(1, 90),
        "gated": rng.random() < 0.5,
        "norm": rng.choice(tuple(NORMS)),
        "parallel": rng.choice(PARALLEL),
        "final_norm": rng.random() < 0.7,
        "embedding_norm": rng.random() < 0.3,
        "qk_norm": rng.choice(QK_NORMS),
        "biases": frozenset(kind for kind in sorted(BIASES) if rng.random() < 0.5),
        "tied": rng.random() < 0.5,
        "positions": rng.choice(POSITIONS),
        "position_offset": rng.choice((0, 0, 2)),
    }
    if rng.random() < 0.3:
        fields["d_embed"] = rng.randint(3, 40)
    fields["placement"] = "pre" if fields["parallel"] != "no" else rng.choice(PLACEMENTS)
    return ModelConfig(**fields, **dict(_experts(rng, L)), **dict(_latents(rng, d_k)))


def _experts(rng: random.Random, L: int) -> Iterator[tuple[str, Any]]:
    if rng.random() < 0.5:
        experts = rng.randint(1, 8)
        yield "experts", experts
        yield "experts_active", rng.randint(1, experts)
        yield "experts_shared", rng.choice((0, 1, 3))
        yield "d_expert", rng.randint(1, 30)
        yield "dense_blocks", frozenset(i for i in range(L) if rng.random() < 0.4)


def _latents(rng: random.Random, d_k: int) -> Iterator[tuple[str, Any]]:
    if rng.random() < 0.5:
        yield "kv_latent", rng.randint(1, 20)
        yield "q_latent", rng.choice((0, 7, 11))
        yield "d_rope", rng.randint(1, d_k - 1)
