"""Figures of lesson 1, the forward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from course_lib.plots.style import (
    BLUE,
    DARK_RED,
    GREEN,
    GREY,
    INK,
    ORANGE,
    SKY,
    heatmap,
    label_bars,
    lesson_figure,
)


def box(
    axes: Axes, x: float, y: float, w: float, text: str, colour: str, height: float = 0.64
) -> None:
    """Draw one box of the signal-flow graph, centred on (x, y)."""
    axes.add_patch(
        FancyBboxPatch(
            (x - w / 2, y - height / 2),
            w,
            height,
            boxstyle="round,pad=0.02,rounding_size=0.12",
            facecolor=colour + "33",
            edgecolor=colour,
            linewidth=1.6,
        )
    )
    axes.text(x, y, text, ha="center", va="center", fontsize=10)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **kw: Any) -> None:
    """Draw one edge of the graph."""
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=13, color=INK, linewidth=1.3, **kw
        )
    )


@lesson_figure
def signal_flow_graph(
    T: int = 8, d: int = 64, V: int = 50, N: int = 4, h: int = 4, d_ff: int = 256
) -> tuple[Figure, str]:
    """Draw the decoder from token ids to probabilities, shapes on the edges, weights in boxes."""
    figure = Figure(figsize=(7.6, 8.6))
    axes = figure.add_subplot(xlim=(0, 10), ylim=(0, 11.6))
    axes.axis("off")
    stream, shape = 2.6, f"({T}, {d})"  # x of the residual stream; what flows along it

    def label(x: float, y: float, text: str, ha: str = "center") -> None:
        axes.text(x, y, text, ha=ha, va="center", color=BLUE, fontsize=9.5)

    def edge(y_from: float, y_to: float, text: str) -> None:
        arrow(axes, (stream, y_from), (stream, y_to))
        label(stream - 0.2, (y_from + y_to) / 2, text, ha="right")

    def branch(top: float, text: str, inside: str, colour: str) -> None:
        """A sublayer: read the stream at `top`, add the answer further down."""
        arrow(axes, (stream, top), (3.85, top))
        box(axes, 4.45, top, 1.1, r"LN  $\gamma\,\beta$", ORANGE)
        arrow(axes, (5.05, top), (6.1, top))
        box(axes, 7.75, top, 3.2, text + "\n", colour, height=1.06)
        label(7.75, top - 0.3, inside)
        arrow(
            axes,
            (7.75, top - 0.58),
            (stream + 0.2, top - 1.3),
            connectionstyle="angle,angleA=-90,angleB=0,rad=6",
        )
        for x, y in ((3.25, top + 0.2), (5.55, top + 0.2), (5.3, top - 1.1)):
            label(x, y, shape)
        axes.plot(stream, top - 1.3, "o", markersize=15, mfc="white", mec=INK, zorder=3)
        axes.text(stream, top - 1.31, "+", ha="center", va="center", fontsize=12, zorder=4)

    axes.text(stream, 11.4, "ids", ha="center", va="center", fontsize=11)
    edge(11.2, 10.75, f"({T},) integers")
    box(axes, stream, 10.4, 3.4, r"token embedding  $E[ids]$", ORANGE)
    edge(10.05, 9.6, shape)
    box(axes, stream, 9.25, 3.4, r"add positions  $PE$", GREY)
    axes.text(
        9.5,
        10.4,
        "coloured: holds weights\ngrey: holds none",
        ha="right",
        va="center",
        fontsize=9.5,
    )

    frame = FancyBboxPatch((0.5, 3.85), 9.1, 4.2, boxstyle="round,pad=0.02,rounding_size=0.2")
    frame.set(facecolor="none", edgecolor=GREY, linestyle=(0, (4, 3)), linewidth=1.4)
    axes.add_patch(frame)
    title = f"{N} blocks, same shapes, each with weights of its own"
    axes.text(9.5, 8.3, title, ha="right", va="center", fontsize=10)
    edge(8.9, 8.2, rf"$H^{{(0)}}$  {shape}")
    axes.plot([stream, stream], [8.2, 3.9], color=INK, linewidth=1.3)
    branch(
        7.4, "causal attention\n$W_Q\\ W_K\\ W_V\\ W_O$", f"inside: scores {h} × ({T}, {T})", GREEN
    )
    branch(5.35, "MLP with GELU\n$W_1\\ W_2$, biases", f"inside: hidden ({T}, {d_ff})", SKY)
    for y in (6.75, 4.7):
        label(stream - 0.2, y, shape, ha="right")

    edge(3.9, 3.25, rf"$H^{{(N)}}$  {shape}")
    box(axes, stream, 2.9, 3.4, r"final layer norm  $\gamma\,\beta$", ORANGE)
    edge(2.55, 2.1, shape)
    box(axes, stream, 1.75, 3.4, r"head  $W_U$", ORANGE)
    edge(1.4, 0.95, f"logits Z  ({T}, {V})")
    box(axes, stream, 0.6, 3.4, "softmax of each row", GREY)
    label(4.6, 0.6, f"P  ({T}, {V}), each row sums to 1", ha="left")
    return figure, (
        f"Signal-flow graph of a GPT decoder. {T} token ids become a ({T}, {d}) matrix by the "
        f"token embedding E; position rows PE are added. The residual stream then runs down "
        f"through {N} blocks. In each, a layer norm feeds causal attention with {h} heads and "
        f"its output is added back to the stream, then a layer norm feeds a GELU MLP of width "
        f"{d_ff} and its output is added back. Each edge to a layer norm, on to a sublayer and "
        f"back to the stream carries {shape}; the scores, {h} × ({T}, {T}), and the hidden "
        f"units, ({T}, {d_ff}), stay inside. A final layer norm and the head W_U give logits "
        f"of shape ({T}, {V}); softmax turns each row into probabilities."
    )


@lesson_figure
def residual_norms(norms: Any, unit_variance: float) -> tuple[Figure, str]:
    """Draw |Hˡ| for l = 0 … N, with the norm of unit-variance entries for comparison."""
    norms = np.asarray(norms)
    figure = Figure(figsize=(7.0, 3.4))
    axes = figure.add_subplot()
    levels = np.arange(len(norms))
    bars = axes.bar(levels, norms, color=BLUE, width=0.62)
    label_bars(axes, bars, [f"{n:.1f}" for n in norms])
    axes.axhline(unit_variance, color=DARK_RED, linestyle="--")
    axes.text(
        len(norms) - 0.55,
        unit_variance + 1,
        f"√(T·d) = {unit_variance:.1f}, the norm\nof unit-variance entries",
        va="bottom",
        fontsize=9.5,
        color=DARK_RED,
    )
    axes.set(
        title="The residual stream grows from block to block",
        xlabel="after block l (0: the embeddings)",
        ylabel=r"norm $|H^{(l)}|$",
        xticks=levels,
        xlim=(-0.5, len(norms) + 0.75),
        ylim=(0, norms.max() * 1.12),
    )
    return figure, (
        "Bar chart of the norm of the residual stream: "
        + ", ".join(f"{n:.1f} after block {k}" for k, n in enumerate(norms))
        + f". A dashed line at {unit_variance:.1f} marks unit-variance entries."
    )


@lesson_figure
def logit_heatmap(logits: Any) -> tuple[Figure, str]:
    """Draw the logits, one row a position, one column a token."""
    logits = np.asarray(logits)
    T, V = logits.shape
    figure = Figure(figsize=(7.6, 3.0))
    axes = figure.add_subplot()
    heatmap(axes, logits, "logit (nats)")
    best = logits.argmax(axis=-1)
    axes.scatter(best, np.arange(T), s=70, facecolors="none", edgecolors="white", linewidths=1.8)
    axes.scatter(best, np.arange(T), s=100, facecolors="none", edgecolors="black", linewidths=1)
    axes.set(
        title=f"Logits: {T} positions × {V} tokens (circled: the largest of each row)",
        xlabel="token id (0-based)",
        ylabel="position t",
        yticks=range(T),
    )
    return figure, (
        f"Heatmap of the logits, {T} positions by {V} token ids, from {logits.min():.1f} to "
        f"{logits.max():.1f}. The largest entry of each row is circled: tokens "
        + ", ".join(str(b) for b in best)
        + "."
    )


@lesson_figure
def next_token_bars(probabilities: Any, top: int = 10) -> tuple[Figure, str]:
    """Draw the most probable next tokens of one position."""
    p = np.asarray(probabilities)
    order = np.argsort(-p, kind="stable")[:top]
    figure = Figure(figsize=(7.0, 3.2))
    axes = figure.add_subplot()
    bars = axes.bar([str(i) for i in order], p[order], color=[GREEN] + [BLUE] * (top - 1))
    label_bars(axes, bars, [f"{v:.1%}" for v in p[order]])
    axes.axhline(1 / len(p), color=GREY, linestyle="--", zorder=0)
    axes.text(top - 0.45, 1 / len(p), f" uniform: {1 / len(p):.0%}", va="bottom", color=INK)
    axes.set(
        title="Next token after the last position: the ten most probable",
        xlabel="token id (0-based)",
        ylabel="probability",
        xlim=(-0.6, top + 0.9),
        ylim=(0, p.max() * 1.15),
    )
    return figure, (
        f"Bar chart of the {top} most probable next tokens: "
        + ", ".join(f"{i} with {p[i]:.1%}" for i in order[:3])
        + f" and so on; a dashed line marks the uniform guess, {1 / len(p):.0%}."
    )
