"""Figures of lesson 2, causality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.plots.style import (
    BLUE,
    DARK_RED,
    GREY,
    INK,
    ORANGE,
    heatmap,
    lesson_figure,
)


@lesson_figure
def attention_pattern(weights: Any) -> tuple[Figure, str]:
    """Draw one head's attention weights, (T, T), the forbidden future hatched."""
    weights = np.asarray(weights)
    T = len(weights)
    figure = Figure(figsize=(5.2, 4.2))
    axes = figure.add_subplot()
    future = np.triu(np.ones((T, T), dtype=bool), k=1)
    heatmap(axes, np.ma.masked_where(future, weights).filled(np.nan), "attention weight")
    for t, j in np.argwhere(future):
        axes.add_patch(
            Rectangle(
                (j - 0.5, t - 0.5), 1, 1, hatch="///", facecolor="#eeeeee", edgecolor="#bbbbbb"
            )
        )
    axes.set(
        title="Row t mixes positions 0 … t, and nothing later",
        xlabel="reads from position j (key)",
        ylabel="position t (query)",
        xticks=range(T),
        yticks=range(T),
        aspect="equal",
    )
    return figure, (
        f"Attention weights of one head, a {T} by {T} grid. Entries above the diagonal are exactly "
        "zero and hatched: no position reads from a later one. Row 0 puts all its weight, 1.00, on "
        f"itself; the last row spreads over {T} positions, at most {weights[-1].max():.2f} on one."
    )


@lesson_figure
def logit_change(dZ: Any, changed: int, title: str) -> tuple[Figure, str]:
    """Draw |ΔZ| after one token was changed; rows that are exactly zero stay white."""
    size = np.abs(np.asarray(dZ))
    T, V = size.shape
    touched = size.max(axis=-1) > 0
    figure = Figure(figsize=(7.6, 3.0))
    axes = figure.add_subplot()
    shown = np.where(touched[:, None], size, np.nan)
    top = size.max()
    faintest = size.max(axis=-1)[touched].min(initial=top)
    scale = LogNorm(vmin=min(top / 1000, faintest / 10), vmax=top, clip=True)
    heatmap(axes, shown, "|change of the logit| (log scale)", norm=scale)
    for t in np.flatnonzero(~touched):
        axes.text(
            V / 2, float(t), "exactly 0", ha="center", va="center", fontsize=9, color="#555555"
        )
    axes.set(title=title, xlabel="token id", ylabel="position t")
    names = [f"changed: {t}" if t == changed else str(t) for t in range(T)]
    axes.set_yticks(range(T), names)
    axes.get_yticklabels()[changed].set_color(DARK_RED)
    rows = [int(t) for t in np.flatnonzero(touched)]
    return figure, (
        f"Heatmap of how much each logit changes when the token at position {changed} is changed. "
        f"Rows that change: {rows}; all other rows are exactly zero. The largest change is "
        f"{size.max():.2f}."
    )


@lesson_figure
def initial_loss(
    vocabularies: Sequence[int], losses: Sequence[float], outlier: tuple[int, float]
) -> tuple[Figure, str]:
    """Draw the loss of untrained models over V, beside ln V, and one that starts badly."""
    V, loss = np.asarray(vocabularies), np.asarray(losses)
    figure = Figure(figsize=(7.0, 3.6))
    axes = figure.add_subplot(xscale="log")
    line = np.geomspace(V.min() / 2, 60_000, 100)
    axes.plot(line, np.log(line), color=GREY, zorder=1)
    axes.text(900, np.log(900) - 0.9, "ln V: a uniform guess", color=INK, fontsize=9.5)
    axes.plot(V, loss, "o", color=BLUE, markersize=8)
    axes.text(V[3], loss[3] + 0.5, "fresh GPT-2 weights", color=BLUE, ha="right", fontsize=9.5)
    axes.plot(*outlier, "D", color=ORANGE, markersize=8, markeredgecolor=INK)
    axes.annotate(
        "the toy of Lesson 14:\nhead weights of 1/√d",
        xy=outlier,
        xytext=(9, 7.4),
        va="center",
        fontsize=9.5,
        color=DARK_RED,
        arrowprops={"arrowstyle": "-", "color": DARK_RED, "shrinkB": 6},
    )
    axes.plot(50257, np.log(50257), "s", color="white", markeredgecolor=BLUE, markersize=9)
    axes.text(
        42000,
        np.log(50257) + 0.35,
        "expected of GPT-2: 10.82",
        ha="right",
        color=BLUE,
        fontsize=9.5,
    )
    axes.set(
        title="An untrained model should cost ln V nats a token",
        xlabel="vocabulary V (log scale)",
        ylabel="loss before training (nats)",
        ylim=(0, 12.5),
    )
    return figure, (
        "Loss of untrained models over the vocabulary size. Fresh GPT-2 weights lie on the curve "
        "ln V: "
        + ", ".join(f"{x:.2f} nats at V = {v}" for v, x in zip(V, loss, strict=True))
        + f"; GPT-2's 50,257 tokens give 10.82. The toy of Lesson 14 lies above it, "
        f"{outlier[1]:.2f} at V = {outlier[0]}."
    )
