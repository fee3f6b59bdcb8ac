"""Figures of lesson 11, the anatomy: what the explorer shows, for those who read without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.anatomy.boxes import boxes
from course_lib.counting import ModelConfig, params
from course_lib.plots.counting import PART_COLOURS, short
from course_lib.plots.forward import arrow, box
from course_lib.plots.style import BLUE, DARK_RED, GREEN, GREY, INK, ORANGE, PURPLE, lesson_figure

_COLOURS = {
    "token embedding": PART_COLOURS["token embedding"],
    "position embedding": PART_COLOURS["position embedding"],
    "attention": PART_COLOURS["attention"],
    "MLP": PART_COLOURS["mlp"],
    "experts": PART_COLOURS["mlp"],
    "head": PART_COLOURS["head"],
}
Lane = tuple[str, ...]


@lesson_figure
def model_parts(config: ModelConfig, T: int = 8) -> tuple[Figure, str]:
    """Draw every part of a pre-norm model, with what it holds in one block and in all."""
    rows = boxes(config)
    figure = Figure(figsize=(7.6, 0.62 * len(rows) + 1.5))
    axes = figure.add_subplot(xlim=(0, 10), ylim=(-len(rows) - 0.9, 1.0))
    axes.axis("off")
    inside = [i for i, row in enumerate(rows) if row.blocks]
    axes.plot([0.55, 0.55], [0.45, -len(rows) - 0.35], color=BLUE, linewidth=4, zorder=0)
    axes.text(0.8, 0.62, f"residual stream, {T} × {config.d:,}", color=BLUE, fontsize=10)
    axes.text(6.15, 0.62, "one block", ha="right", fontsize=9.5, color=GREY)
    axes.text(8.4, 0.62, f"all {config.L} blocks", ha="right", fontsize=9.5, color=GREY)
    axes.text(9.9, 0.62, "share", ha="right", fontsize=9.5, color=GREY)
    top, bottom = -inside[0] + 0.42, -inside[-1] - 0.42
    axes.fill_between([0.2, 9.98], bottom, top, color="#00000009", linewidth=0)
    total, alts = params(config), []
    for i, row in enumerate(rows):
        left = 1.1 if row.blocks else 0.25
        width = 4.1 - left
        colour = _COLOURS.get(row.name, DARK_RED)
        box(axes, left + width / 2, -i, width, _named(row.name, config), colour)
        share = _percent(row.total, total)
        if row.blocks:
            axes.text(6.15, -i, f"{row.each:,}", ha="right", va="center", fontsize=10)
        axes.text(8.4, -i, f"{row.total:,}", ha="right", va="center", fontsize=10)
        axes.text(9.9, -i, share, ha="right", va="center", fontsize=9.5)
        in_block = f", {row.each:,} in one block" if row.blocks else ""
        alts.append(f"{row.name} {row.total:,} ({share}{in_block})")
    axes.plot([4.4, 9.9], [-len(rows) + 0.4] * 2, color=INK, linewidth=1)
    axes.text(4.4, -len(rows), "sum", va="center", fontsize=10.5, weight="bold")
    axes.text(8.4, -len(rows), f"{total:,}", ha="right", va="center", fontsize=10.5, weight="bold")
    axes.set_title(f"{config.name}: {len(rows)} parts hold {total:,} parameters")
    return figure, (
        f"{config.name} from top to bottom, each part with its parameters. "
        + "; ".join(alts)
        + f". Sum {total:,}."
    )


def _percent(n: int, total: int) -> str:
    share = 100 * n / total
    return "none" if not n else f"{share:.1f} %" if share >= 0.05 else "under 0.1 %"


def _named(name: str, config: ModelConfig) -> str:
    return f"{name} (tied)" if name == "head" and config.tied else name


@lesson_figure
def scores_against_weights(configs: Sequence[ModelConfig]) -> tuple[Figure, str]:
    """Draw the numbers in one head's T x T scores beside the attention weights of a block."""
    figure = Figure(figsize=(7.6, 4.3))
    axes = figure.add_subplot(xscale="log", yscale="log")
    lengths = np.array([2.0**k for k in range(5, 18)])
    axes.plot(lengths, lengths**2, color=INK, linewidth=2.2)
    axes.text(1.1e4, 2.6e8, "scores of one head, T²", rotation=28, fontsize=9.5, ha="center")
    alts = []
    for config, colour in zip(configs, (DARK_RED, GREEN, BLUE, PURPLE, ORANGE), strict=False):
        weights = attention_weights(config)
        needed = needed_T(config)
        reach = needed <= config.T
        axes.plot([lengths[0], config.T], [weights] * 2, color=colour, linewidth=2)
        axes.plot([config.T], [weights], marker="|", markersize=12, color=colour)
        where = f"T = {needed:,}"
        label = where if reach else f"would need {where}"
        axes.plot(
            [needed], [weights], marker="o", color=colour, fillstyle="full" if reach else "none"
        )
        text = f"{config.name}: {short(weights)} weights, {label}"
        if needed > 3_000:  # there is room on the left of the diagonal
            axes.text(lengths[0] * 1.1, weights * 1.25, text, fontsize=9.5, color=colour)
        else:
            x = 1.25 * max(needed, config.T)
            axes.text(x, weights, text, fontsize=9.5, color=colour, va="center")
        alts.append(
            f"{config.name} has {weights:,} attention weights in a block and reads {config.T:,} "
            f"tokens; the scores are more from T = {needed:,} on"
            + ("" if reach else ", which it cannot read")
        )
    axes.set(
        xlabel="sequence length T (tokens); each line ends at the model's context",
        ylabel="numbers",
        title="One head's scores outgrow a block's weights, if the context allows it",
        xlim=(lengths[0], 2e5),
    )
    return figure, "Log-log plot of T squared and of weights that do not change with T. " + (
        "; ".join(alts) + "."
    )


def attention_weights(config: ModelConfig) -> int:
    """All parameters in the attention of block 0, biases too."""
    return next(b.each for b in boxes(config) if b.name == "attention")


def needed_T(config: ModelConfig) -> int:
    """The smallest T at which T x T is more than the attention weights of a block."""
    weights = attention_weights(config)
    T = int(weights**0.5)
    while weights >= T * T:
        T += 1
    return T


@lesson_figure
def block_wirings(configs: Sequence[ModelConfig]) -> tuple[Figure, str]:
    """Draw one block of each model: what stands on the stream, and what on a branch of it."""
    figure = Figure(figsize=(2.2 * len(configs), 4.1))
    alts = []
    panels = figure.subplots(1, len(configs), squeeze=False)[0]
    for axes, config in zip(panels, configs, strict=True):
        axes.set(xlim=(0, 4.6), ylim=(-8.3, 0.5))
        axes.axis("off")
        axes.set_title(config.name, fontsize=10.5, loc="center")
        axes.plot([0.5, 0.5], [0.4, -8.2], color=BLUE, linewidth=3.5, zorder=0)
        y, words = 0.0, []
        for step in wiring(config):
            y = _branch(axes, step, y)
            for name in step.on_stream:
                box(axes, 2.3, y - 0.45, 4.2, name, DARK_RED, height=0.62)
                y -= 1.1
            inside = " beside ".join(" → ".join(lane) for lane in step.lanes)
            if step.shared:
                inside = f"one {' → '.join(step.shared)} → {inside}"
            on_stream = "".join(f", then {name} on the stream" for name in step.on_stream)
            words.append(inside + on_stream)
        alts.append(f"{config.name}: {'; then '.join(words)}")
    return figure, "One block of each model, every branch added back. " + ". ".join(alts) + "."


class Branch(NamedTuple):
    """What leaves the stream and is added back, and what then stands on the stream itself."""

    shared: Lane  # boxes before the lanes part
    lanes: tuple[Lane, ...]
    on_stream: Lane


def wiring(config: ModelConfig) -> list[Branch]:
    """The branches of a block, in order."""
    mlp = "experts" if config.experts else "MLP"
    if config.parallel == "one norm":
        return [Branch(("norm",), (("attention",), (mlp,)), ())]
    if config.parallel == "two norms":
        return [Branch((), (("norm 1", "attention"), ("norm 2", mlp)), ())]
    branches = []
    for i, part in enumerate(("attention", mlp), start=1):
        norm = f"norm {i}"
        lanes: dict[str, Lane] = {
            "pre": (norm, part),
            "post": (part,),
            "pre and post": (norm, part, f"{norm}, after"),
            "after sublayer": (part, norm),
        }
        on_stream = (norm,) if config.placement == "post" else ()
        branches.append(Branch((), (lanes[config.placement],), on_stream))
    return branches


def _branch(axes: Axes, step: Branch, top: float) -> float:
    """Draw one branch below `top`; gives the height at which the stream goes on."""
    line: dict[str, Any] = {"color": INK, "linewidth": 1.2, "zorder": 0}
    width = 3.4 / len(step.lanes) - 0.1
    start = top - 0.8 - 1.05 * len(step.shared)
    join = start - 1.05 * max(len(lane) for lane in step.lanes) + 0.1
    for name in step.shared:
        axes.plot([0.5, 2.8], [top - 0.1] * 2, **line)
        arrow(axes, (2.8, top - 0.1), (2.8, top - 0.5))
        box(axes, 2.8, top - 0.8, 3.4, name, DARK_RED, height=0.6)
    for number, lane in enumerate(step.lanes):
        x = 1.1 + width / 2 + number * (width + 0.15)
        if step.shared:
            axes.plot([x, x], [start + 0.75, start + 0.32], **line)
        else:
            axes.plot([0.5, x], [top - 0.1] * 2, **line)
            arrow(axes, (x, top - 0.1), (x, top - 0.5))
        for row, name in enumerate(lane):
            y = start - 1.05 * row
            box(axes, x, y, width, name, _COLOURS.get(name, DARK_RED), height=0.6)
            if row + 1 < len(lane):
                axes.plot([x, x], [y - 0.32, y - 0.75], **line)
        end = start - 1.05 * (len(lane) - 1) - 0.32
        axes.plot([x, x, 0.5], [end, join, join], **line)
    axes.plot([0.5], [join], "o", markersize=11, color="white", markeredgecolor=INK)
    axes.plot([0.5], [join], "+", markersize=8, color=INK, markeredgewidth=1.4)
    return join - 0.25
