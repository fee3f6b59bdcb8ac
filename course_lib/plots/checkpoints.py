"""Figures of lesson 12: what a checkpoint expects next, and what temperature and cuts leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course_lib.plots.style import BLUE, GREY, ORANGE, label_bars, lesson_figure


@lesson_figure
def next_token_bars(
    labels: Sequence[str], shares: Sequence[float], prompt: str
) -> tuple[Figure, str]:
    """Draw the likeliest next tokens after a prompt, with their probabilities as bars."""
    figure = Figure(figsize=(7.0, 0.32 * len(labels) + 1.3))
    axes = figure.add_subplot()
    bars = axes.barh(range(len(labels)), shares, color=[ORANGE] + [BLUE] * (len(labels) - 1))
    label_bars(axes, bars, [f"{share:.2%}" for share in shares])
    axes.set_yticks(range(len(labels)), labels, parse_math=False)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    finding = f"After “{prompt}”, {shares[0]:.0%} of the probability is on “{labels[0]}”"
    axes.set_title(finding, parse_math=False)
    axes.set(
        xlabel="probability of being the next token",
        xlim=(0, max(shares) * 1.15),
    )
    rest = 1 - sum(shares)
    return figure, (
        f"Bar chart of the {len(labels)} likeliest next tokens after “{prompt}”: "
        + ", ".join(f"{label} {share:.2%}" for label, share in zip(labels, shares, strict=True))
        + f". All other tokens together: {rest:.2%}."
    )


@lesson_figure
def what_is_left(labels: Sequence[str], settings: Mapping[str, Any]) -> tuple[Figure, str]:
    """Draw the probabilities of the same tokens under several ways of sampling, side by side."""
    figure = Figure(figsize=(8.6, 0.3 * len(labels) + 1.5))
    panels = figure.subplots(1, len(settings), sharey=True)
    said = []
    for axes, (name, values) in zip(panels, settings.items(), strict=True):
        shares = np.asarray(values)
        bars = axes.barh(range(len(labels)), shares, color=BLUE)
        label_bars(axes, bars, [f"{share:.2%}" if share else "out" for share in shares])
        axes.set_title(name, fontsize=10.5, loc="center")
        axes.set_xlim(0, 1.45)
        axes.set_xticks([0, 0.5, 1])
        axes.tick_params(axis="y", length=0)
        axes.spines["bottom"].set_color(GREY)
        kept = int((shares > 0).sum())
        said.append(f"{name}: {labels[0]} {shares[0]:.1%}, {kept} of these {len(labels)} left")
    panels[0].set_yticks(range(len(labels)), labels, parse_math=False)
    panels[0].invert_yaxis()
    figure.suptitle("Temperature changes the odds, a cut removes tokens", x=0.02, ha="left")
    figure.supxlabel("probability of being chosen", fontsize=10.5)
    return figure, (
        "Bar charts of the probability of the same tokens under different ways of choosing. "
        + "; ".join(said)
        + "."
    )
