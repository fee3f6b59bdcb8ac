"""The boxes of the picture and what they hold: the page's parts, for use in Python."""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.counting import ModelConfig, tensors

_OUTSIDE = {
    "wte": "token embedding",
    "project_in": "projection to d",
    "wpe": "position embedding",
    "ln_embed": "embedding norm",
    "ln_f": "final norm",
    "project_out": "projection from d",
    "head": "head",
}
_INSIDE = {
    "ln1": "norm 1",
    "attention": "attention",
    "ln1_post": "norm 1, after",
    "ln2": "norm 2",
    "mlp": "MLP",
    "experts": "experts",
    "ln2_post": "norm 2, after",
}


@dataclass(frozen=True)
class Box:
    """One box: its name, its parameters in one block, and how many blocks have it."""

    name: str
    each: int
    blocks: int  # 0 outside the blocks

    @property
    def total(self) -> int:
        """Its parameters in the whole model."""
        return self.each * max(1, self.blocks)


def boxes(config: ModelConfig) -> list[Box]:
    """Every box of a model in the order of the picture; together they hold each parameter once.

    A tied head stands there with 0. Query and key norms are part of the attention box.
    """
    counts: dict[str, int] = dict.fromkeys(_OUTSIDE.values(), 0)
    inside: dict[str, dict[int, int]] = {}
    for t in tensors(config):
        if t.block is None:
            counts[_OUTSIDE[t.name.partition(".")[0]]] += t.count
        else:
            place = t.name.removeprefix(f"blocks.{t.block}.").partition(".")[0]
            if place == "mlp" and config.experts and t.block not in config.dense_blocks:
                place = "experts"
            of_blocks = inside.setdefault(_INSIDE[place], {})
            of_blocks[t.block] = of_blocks.get(t.block, 0) + t.count
    found = {name: Box(name, n, 0) for name, n in counts.items() if n or name == "head"}
    found |= {name: Box(name, min(n.values()), len(n)) for name, n in inside.items()}
    order = ["token embedding", "projection to d", "position embedding", "embedding norm"]
    order += [*_INSIDE.values(), "final norm", "projection from d", "head"]
    return [found[name] for name in order if name in found]
