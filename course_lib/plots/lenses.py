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
    """Draw the bits of parameters and of data of compute-optimal runs, a panel a model.

    Each panel has an axis of its own that starts at 0: a bar's length is read as a quantity, and
    on a logarithmic axis 3 times as much would look like a tenth more.
    """
    figure = Figure(figsize=(7.0, 1.0 + 1.25 * len(budgets)))
    panels = figure.subplots(len(budgets), 1, squeeze=False)[:, 0]
    for axes, (name, bits) in zip(panels, budgets.items(), strict=True):
        exponent = int(np.floor(np.log10(bits[0])))
        lengths = np.asarray(bits) / 10.0**exponent
        bars = axes.barh([1, 0], lengths, height=0.7, color=[SKY, ORANGE])
        label_bars(axes, bars, [f" {n:.2f}" for n in lengths])
        axes.set(
            title=name, xlabel=f"in 10{_superscript(exponent)} bits", xlim=(0, 1.15 * max(lengths))
        )
        axes.set_yticks([1, 0], ["float32 parameters", "text"])
    title = "Three bits of text for each bit of float32 parameters"
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure, "Bar chart, a panel a model, each axis from 0. " + " ".join(
        f"{name}: {p:.2e} bits of parameters, {d:.2e} bits of text, {d / p:.3f} times as many."
        for name, (p, d) in budgets.items()
    )


def _superscript(n: int) -> str:
    return str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
