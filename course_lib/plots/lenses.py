"""Figures of lesson 9, the three engineering lenses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from course_lib.plots.style import BLUE, ORANGE, SKY, label_bars, lesson_figure


@lesson_figure
def state_along_time(contexts: Sequence[int], cache_bytes: Sequence[int]) -> tuple[Figure, str]:
    """Draw how the key-value cache of GPT-2 small grows, beside the one vector of the stream."""
    figure = Figure(figsize=(7.0, 3.3))
    axes = figure.add_subplot()
    megabytes = np.asarray(cache_bytes) / 1e6
    axes.plot(contexts, megabytes, color=BLUE, marker="o")
    axes.text(contexts[-1] - 25, megabytes[-1], f"{megabytes[-1]:.1f} MB", ha="right", color=BLUE)
    axes.set(
        title="State along time: keys and values of every past position",
        xlabel="tokens seen",
        ylabel="cache, float32 (MB)",
        xlim=(0, None),
        ylim=(0, None),
    )
    return figure, (
        "Line plot of the size of GPT-2 small's key-value cache in float32: it grows in proportion "
        f"to the tokens seen, up to {megabytes[-1]:.1f} MB at {contexts[-1]:,} tokens."
    )


@lesson_figure
def bit_budgets(budgets: Mapping[str, tuple[float, float]]) -> tuple[Figure, str]:
    """Draw the bits of parameters and the bits of data of compute-optimal runs, log scale."""
    figure = Figure(figsize=(7.0, 2.9))
    axes = figure.add_subplot(xscale="log")
    names = list(budgets)
    y = np.arange(len(names))[::-1] * 1.0
    for offset, column, colour, label in (
        (0.19, 0, SKY, "float32 parameters"),
        (-0.19, 1, ORANGE, "information in the training data"),
    ):
        bits = [budgets[name][column] for name in names]
        bars = axes.barh(y + offset, bits, height=0.34, color=colour)
        label_bars(axes, bars, [f" {b:.2e} bits: {label}" for b in bits])
    axes.set(
        title="Three bits of text for each bit of parameters",
        xlabel="bits (log scale)",
        yticks=y,
        xlim=(1e6, 1e14),
    )
    axes.set_yticklabels(names)
    return figure, "Bar chart, log scale. " + " ".join(
        f"{name}: {p:.2e} bits of parameters, {d:.2e} bits of data."
        for name, (p, d) in budgets.items()
    )
