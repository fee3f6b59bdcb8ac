"""Figures of lesson 9, the three engineering lenses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course_lib.layers import softmax
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE, SKY, label_bars, lesson_figure


@lesson_figure
def matched_filter(scores: Any) -> tuple[Figure, str]:
    """Draw the output of every correlator, one a token, the best match marked."""
    z = np.asarray(scores)
    best = int(z.argmax())
    figure = Figure(figsize=(7.4, 3.2))
    axes = figure.add_subplot()
    axes.vlines(np.arange(len(z)), 0, z, color=BLUE, linewidth=2)
    axes.plot(np.arange(len(z)), z, "o", color=BLUE, markersize=4)
    axes.plot(best, z[best], "o", color=ORANGE, markersize=10, markeredgecolor=INK)
    axes.text(best + 1, z[best], f"token {best}: {z[best]:.2f}", va="center", fontsize=10)
    axes.axhline(0, color=GREY, linewidth=1)
    axes.set(
        title="A bank of 50 correlators: which template matches the final vector best?",
        xlabel="template: embedding row of token v",
        ylabel=r"score $\langle h, e_v \rangle$",
    )
    return figure, (
        f"Stem plot of the {len(z)} scores <h, e_v> of the last position, one for each token's "
        f"embedding row, between {z.min():.2f} and {z.max():.2f}. The best match is token {best}."
    )


@lesson_figure
def temperature(scores: Any, temperatures: Sequence[float] = (0.5, 1.0, 2.0)) -> tuple[Figure, str]:
    """Draw the sorted probabilities at several temperatures, with the entropy of each."""
    z = np.asarray(scores)
    figure = Figure(figsize=(7.0, 3.4))
    axes = figure.add_subplot()
    words = []
    for tau, colour, dashes in zip(
        temperatures, (ORANGE, BLUE, GREEN), ("--", "-", ":"), strict=True
    ):
        p = np.sort(softmax(z / tau))[::-1]
        entropy = float(-(p * np.log2(p)).sum())
        label = f"τ = {tau:g}: top {p[0]:.0%}, entropy {entropy:.2f} bits"
        axes.plot(np.arange(1, len(p) + 1), p, dashes, color=colour, marker=".", label=label)
        words.append(f"at temperature {tau:g} the top token has {p[0]:.1%} ({entropy:.2f} bits)")
    axes.axhline(1 / len(z), color=GREY, linewidth=1)
    axes.text(len(z), 1 / len(z), "uniform", ha="right", va="bottom", fontsize=9, color=INK)
    axes.legend()
    axes.set(
        title="One number rescales all correlators at once",
        xlabel="tokens, most probable first",
        ylabel="probability",
        ylim=(0, None),
    )
    return figure, (
        "Line plot of the sorted next-token probabilities: "
        + "; ".join(words)
        + f". The uniform guess is {1 / len(z):.0%}."
    )


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
