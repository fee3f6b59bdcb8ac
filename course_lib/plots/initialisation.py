"""Figures of lesson 5, initialisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.style import (
    BLUE,
    DARK_RED,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RED,
    lesson_figure,
)

LINES = (BLUE, GREEN, PURPLE, ORANGE, RED)
MARKERS = ("o", "s", "^", "D", "v")


def label_end(axes: Axes, x: Any, y: Any, text: str, colour: str, **place: Any) -> None:
    """Write a line's name to the right of its last point, in the line's colour."""
    offset = place.pop("offset", (7, 0))
    axes.annotate(
        text,
        (x[-1], y[-1]),
        xytext=offset,
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        color={RED: DARK_RED, ORANGE: INK, PURPLE: INK}.get(colour, colour),  # dark enough to read
        annotation_clip=False,
        **place,
    )


def leave_room(axes: Axes, low: float, high: float, share: float) -> None:
    """End the x axis at `high`, and keep `share` of the width to its right for names of lines."""
    scale = axes.xaxis.get_transform()
    start, end = scale.transform([low, high])
    stop = scale.inverted().transform([end + (end - start) * share / (1 - share)])[0]
    axes.set_xlim(low, stop)
    axes.spines.bottom.set_bounds(low, high)
    axes.xaxis.label.set_x((1 - share) / 2)


@lesson_figure
def variance_lines(
    curves: Mapping[str, Any], title: str, offsets: Mapping[str, float] | None = None
) -> tuple[Figure, str]:
    """Draw the mean square along depth, one line a scheme, on a log axis.

    `offsets` moves a label up or down by that many points where two would touch.
    """
    figure = Figure(figsize=(7.6, 3.9))
    axes = figure.add_subplot()
    described = []
    depth = max(len(np.asarray(v)) for v in curves.values()) - 1
    axes.plot([0, depth], [1, 1], color=GREY, linestyle="--", linewidth=1.2)
    for (name, values), colour, marker in zip(curves.items(), LINES, MARKERS, strict=False):
        v = np.asarray(values)
        layers = np.arange(len(v))
        axes.semilogy(layers, v, color=colour, marker=marker, markersize=4.5)
        label_end(axes, layers, v, name, colour, offset=(8, (offsets or {}).get(name, 0)))
        described.append(f"{name}: {v[1]:.2g} after one layer, {v[-1]:.2g} after {len(v) - 1}")
    axes.set(
        title=title,
        xlabel="layer (0: the input)",
        ylabel=r"mean square of $x\,W$",
        xticks=np.arange(0, depth + 1, 1 if depth < 10 else 2),
    )
    leave_room(axes, -0.02 * depth, depth, 0.2)
    return figure, "Log plot of the mean square along depth. " + "; ".join(described) + "."


@lesson_figure
def std_by_width(
    sizes: Mapping[str, int], fixed: float = 0.02, low: int = 500, high: int = 4000
) -> tuple[Figure, str]:
    """Draw the fixed 0.02 against what Xavier asks for at each width d."""
    d = np.geomspace(low, high, 200)
    square, wide = 1 / np.sqrt(d), np.sqrt(2 / (5 * d))
    figure = Figure(figsize=(7.6, 3.7))
    axes = figure.add_subplot()
    axes.plot(d, square, color=BLUE)
    axes.plot(d, wide, color=GREEN)
    axes.plot([low, high], [fixed, fixed], color=RED, linestyle="--")
    label_end(axes, d, square, "1/√d: Xavier, d → d", BLUE)
    label_end(axes, d, wide, "√(2/5d): Xavier, d → 4d", GREEN)
    axes.text(low * 1.02, fixed - 0.0008, f"GPT-2: {fixed}", color=DARK_RED, fontsize=9.5, va="top")
    for crossing, text in ((2 / (5 * fixed**2), "d = 1,000"), (1 / fixed**2, "d = 2,500")):
        axes.plot(crossing, fixed, "o", color=INK, zorder=3)
        axes.annotate(
            text, (crossing, fixed), xytext=(5, 7), textcoords="offset points", fontsize=9.5
        )
    axes.set(
        title="0.02 is what Xavier asks for at widths of 1,000 to 2,500",
        xlabel="width d (log scale; ticks at the four GPT-2 sizes)",
        ylabel="standard deviation σ",
        xscale="log",
        ylim=(0.007, 0.047),
    )
    ticks = list(sizes.values())
    axes.set_xticks(ticks, [f"{t:,}" for t in ticks])
    axes.set_xticks([], minor=True)
    leave_room(axes, low, high, 0.28)
    return figure, (
        f"Line plot of standard deviations against the width d. The constant {fixed} crosses "
        "Xavier's value for a d to 4d matrix at d = 1,000 and for a square one, 1 over root d, at "
        "d = 2,500. The GPT-2 widths are "
        + ", ".join(f"{width:,} ({name})" for name, width in sizes.items())
        + "."
    )


@lesson_figure
def gain_along_depth(
    as_initialised: Any, scaled: Any, unit_variance: float, N: int
) -> tuple[Figure, str]:
    """Draw |Hˡ| of the toy on a log axis, with and without 1/√(2N) on its branches."""
    full, small = np.asarray(as_initialised), np.asarray(scaled)
    levels = np.arange(len(full))
    figure = Figure(figsize=(7.6, 3.8))
    axes = figure.add_subplot()
    ends, unit = levels[[0, -1]], [unit_variance, unit_variance]
    axes.plot(ends, unit, color=GREY, linestyle="--", linewidth=1.4)
    label_end(axes, ends, unit, f"√(T·d) = {unit_variance:.1f}: entries\nof variance 1", GREY)
    for values, colour, marker, name in (
        (full, RED, "o", "as initialised"),
        (small, BLUE, "s", rf"branches × 1/√(2N), N = {N}"),
    ):
        axes.semilogy(levels, values, color=colour, marker=marker)
        text = f"{name}\n× {values[-1] / values[0]:.2f}"
        label_end(axes, levels, values, text, colour, offset=(9, 0))
    ticks = [15, 20, 30, 40, 50, 70]
    axes.set_yticks(ticks, [str(t) for t in ticks])
    axes.set_yticks([], minor=True)
    axes.set(
        title=f"Smaller branches: {small[-1] / small[0]:.1f} times the norm at the end, "
        f"not {full[-1] / full[0]:.1f} times",
        xlabel="after block l (0: the embeddings)",
        ylabel=r"norm $|H^{(l)}|$ (log scale)",
        xticks=levels,
    )
    leave_room(axes, -0.1, levels[-1], 0.3)
    return figure, (
        "Log plot of the residual stream's norm. As initialised: "
        + ", ".join(f"{v:.1f}" for v in full)
        + f" after blocks 0 to {levels[-1]}. With branches scaled: "
        + ", ".join(f"{v:.1f}" for v in small)
        + f". A dashed line marks {unit_variance:.1f}, entries of variance 1."
    )


@lesson_figure
def growth_by_depth(depths: Any, with_rule: Any, without: Any) -> tuple[Figure, str]:
    """Draw how many times the stream grows from embeddings to the end, for models of depth L."""
    L, ruled, free = np.asarray(depths), np.asarray(with_rule), np.asarray(without)
    figure = Figure(figsize=(7.6, 3.7))
    axes = figure.add_subplot()
    reference = free[-1] * np.sqrt(L / L[-1])
    axes.loglog(L, reference, color=GREY, linestyle="--", linewidth=1.4)
    axes.annotate(
        "slope of √L", (L[1], reference[1]), xytext=(4, -11), textcoords="offset points",
        color=GREY, fontsize=9.5,
    )  # fmt: skip
    for values, colour, marker, name in (
        (free, RED, "o", "0.02 everywhere"),
        (ruled, BLUE, "s", "with 0.02/√(2L)"),
    ):
        axes.loglog(L, values, color=colour, marker=marker)
        label_end(axes, L, values, f"{name}: × {values[-1]:.1f}", colour)
    axes.set_xticks(L, [str(v) for v in L])
    axes.set_xticks([], minor=True)
    axes.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.set_yticks([], minor=True)
    axes.set(
        title="With the rule, the growth does not depend on the depth",
        xlabel="number of blocks L (log scale)",
        ylabel="rms at the end / rms at the start",
        ylim=(0.85, free.max() * 1.3),
    )
    leave_room(axes, L[0] * 0.95, L[-1], 0.28)
    return figure, (
        "Log-log plot of the stream's growth for models of "
        + ", ".join(str(v) for v in L)
        + " blocks. Without the rule: "
        + ", ".join(f"{v:.2f}" for v in free)
        + ", in step with the square root of L. With it: "
        + ", ".join(f"{v:.2f}" for v in ruled)
        + "."
    )


@lesson_figure
def what_each_block_changes(
    changes: Mapping[str, Any], likeness: Mapping[str, Any]
) -> tuple[Figure, str]:
    """Draw each MLP's change of the stream, and how much the stream still looks like its input.

    Both mappings hold "without" and "with" the rule: changes (L,), likeness (L + 1,).
    """
    figure = Figure(figsize=(8.4, 3.8))
    left, right = figure.subplots(1, 2)
    styles = {"without": (RED, "0.02 everywhere"), "with": (BLUE, "with 0.02/√(2L)")}
    for key, (colour, name) in styles.items():
        y, c = np.asarray(changes[key]), np.asarray(likeness[key])
        left.plot(np.arange(1, len(y) + 1), y, color=colour)
        right.plot(np.arange(len(c)), c, color=colour)
        at = len(y) // 2
        up = 0.05 if key == "without" else -0.02
        ink = DARK_RED if colour == RED else colour
        va = "bottom" if up > 0 else "top"
        left.text(at * 0.55, y[at // 2] + up, name, color=ink, va=va, fontsize=9.5)
        right.text(at, c[at] + 0.07, name, color=ink, va="bottom", ha="center", fontsize=9.5)
    left.set(
        title="What each MLP changes",
        xlabel="block",
        ylabel="|added| / |stream before|",
        ylim=(0, 1),
    )
    right.set(
        title="What is left of the embeddings",
        xlabel="after block l",
        ylabel="cosine with the embeddings",
        ylim=(0, 1.08),
    )
    free, ruled = np.asarray(changes["without"]), np.asarray(changes["with"])
    return figure, (
        f"Two line plots for {len(free)} blocks. Left: the share by which each MLP changes the "
        f"stream falls from {free[0]:.2f} to {free[-1]:.2f} without the rule, and only from "
        f"{ruled[0]:.2f} to {ruled[-1]:.2f} with it. Right: the cosine of the stream with the "
        f"embeddings ends at {np.asarray(likeness['without'])[-1]:.2f} without the rule and at "
        f"{np.asarray(likeness['with'])[-1]:.2f} with it."
    )
