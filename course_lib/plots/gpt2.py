"""Figures of lessons 7 and 8: GPT-2 box by box, and what separates a bug from rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from course_lib.layers import Array, gelu, split_heads
from course_lib.plots.forward import arrow, box
from course_lib.plots.style import (
    BLUE,
    DARK_RED,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    lesson_figure,
)


def exact_gelu(x: Array) -> Array:
    """Return x·Φ(x), the GELU before its approximation, in float64.

    Shape kept. Source: Hendrycks & Gimpel (2016), section 2. GPT-2 uses `layers.gelu` instead.
    """
    x = np.asarray(x, dtype=np.float64)
    phi = [0.5 * math.erfc(-v / math.sqrt(2)) for v in x.ravel()]
    out: Array = x * np.reshape(phi, x.shape)
    return out


Step = tuple[str, str, str]  # text of the box, its colour, shape of what comes out


def _chain(axes: Axes, x: float, heading: str, colour: str, steps: list[Step]) -> None:
    """Draw one sublayer as a column of boxes."""
    top = 10.2
    axes.text(x, top + 0.35, heading, ha="center", va="center", fontsize=10.5)
    pitch, y = 1.17, top - 0.75
    arrow(axes, (x, top + 0.1), (x, y + 0.36))
    axes.text(x + 0.14, top - 0.14, "x  (B, T, d)", va="center", color=BLUE, fontsize=9.5)
    for text, shade, shape in steps:
        box(axes, x, y, 3.1, text, shade)
        arrow(axes, (x, y - 0.36), (x, y - pitch + 0.36))
        axes.text(x + 0.14, y - pitch / 2 + 0.06, shape, va="center", color=BLUE, fontsize=9.5)
        y -= pitch
    axes.plot(x, y + 0.12, "o", markersize=17, mfc="white", mec=INK, zorder=3)
    axes.text(x, y + 0.11, "+", ha="center", va="center", fontsize=12, zorder=4)
    axes.text(x + 0.35, y + 0.12, "x as it came", va="center", fontsize=9.5)
    bottom = y - 0.35
    frame = FancyBboxPatch(
        (x - 1.72, bottom), 3.6, top + 0.68 - bottom, boxstyle="round,pad=0.02,rounding_size=0.2"
    )
    frame.set(facecolor="none", edgecolor=colour, linewidth=1.4)
    axes.add_patch(frame)


@lesson_figure
def gpt2_box_by_box() -> tuple[Figure, str]:
    """Draw GPT-2 by the engine's functions, its two sublayers opened, with batch shapes."""
    figure = Figure(figsize=(8.8, 7.6))
    axes = figure.add_subplot(xlim=(0, 12.2), ylim=(0.45, 11))
    axes.axis("off")
    x = 2.0

    def edge(y_from: float, y_to: float, shape: str) -> None:
        arrow(axes, (x, y_from), (x, y_to))
        axes.text(x + 0.14, (y_from + y_to) / 2, shape, va="center", color=BLUE, fontsize=9.5)

    axes.text(x, 10.7, "idx", ha="center", va="center", fontsize=11)
    edge(10.5, 9.75, "(B, T) integers")
    box(axes, x, 9.25, 3.2, "embed\nwte[idx] + wpe[0:T]", ORANGE, height=0.9)
    edge(8.75, 7.75, "(B, T, d)")
    box(axes, x, 6.3, 3.2, "", GREY, height=2.8)
    axes.text(x, 7.4, "transformer_block", ha="center", va="center", fontsize=10)
    box(axes, x, 6.65, 2.7, "causal self-attention", GREEN, height=0.6)
    box(axes, x, 5.75, 2.7, "MLP", SKY, height=0.6)
    axes.text(x, 5.16, "L times", ha="center", va="center", fontsize=10)
    edge(4.85, 3.85, "(B, T, d)")
    box(axes, x, 3.35, 3.2, "lm_head\nlayer norm, then $\\times$ wteᵀ", ORANGE, height=0.9)
    edge(2.85, 2.1, "(B, T, V)")
    axes.text(x, 1.85, "logits", ha="center", va="center", fontsize=11)
    key = "coloured: holds weights\ngrey: holds none\n\nh heads of size $d_k$ = d / h"
    axes.text(10.2, 2.6, key, ha="center", va="center", fontsize=10, linespacing=1.5)

    heads = "(B, h, T, $d_k$)"
    attention: list[Step] = [
        (r"layer norm  $\gamma\,\beta$", ORANGE, "(B, T, d)"),
        ("× w_qkv + b_qkv", GREEN, "(B, T, 3d)"),
        ("split heads", GREY, f"3 × {heads}"),
        ("q kᵀ / $\\sqrt{d_k}$ + mask", GREY, "(B, h, T, T)"),
        ("softmax, then × v", GREY, heads),
        ("merge heads", GREY, "(B, T, d)"),
        ("× w_o + b_o", GREEN, "(B, T, d)"),
    ]
    mlp: list[Step] = [
        (r"layer norm  $\gamma\,\beta$", ORANGE, "(B, T, d)"),
        ("× w_fc + b_fc", SKY, "(B, T, 4d)"),
        ("GELU, tanh form", GREY, "(B, T, 4d)"),
        ("× w_proj + b_proj", SKY, "(B, T, d)"),
    ]
    _chain(axes, 6.2, "x + causal_self_attention(LN(x))", GREEN, attention)
    _chain(axes, 10.2, "x + mlp(LN(x))", SKY, mlp)
    return figure, (
        "GPT-2 as boxes. Ids (B, T) go through embed, wte[idx] + wpe[0:T], to (B, T, d); through "
        "L transformer blocks; and through lm_head, a layer norm and the transposed token table, "
        "to logits (B, T, V). Attention opened: layer norm, w_qkv to (B, T, 3d), split into three "
        "(B, h, T, d_k), scores q kᵀ / √d_k plus mask (B, h, T, T), softmax times v, merge to "
        "(B, T, d), w_o, added to x. MLP opened: layer norm, w_fc to (B, T, 4d), GELU in its tanh "
        "form, w_proj to (B, T, d), added to x."
    )


def _cells(axes: Axes, values: Any, d: int, colours: Sequence[str], title: str) -> None:
    """Draw a matrix of cell numbers t·d + f: colour says the position t, text the feature f."""
    rows, columns = values.shape
    for r in range(rows):
        for c in range(columns):
            t, f = divmod(int(values[r, c]), d)
            cell = Rectangle((c, r), 1, 1, facecolor=colours[t] + "66", edgecolor="white")
            axes.add_patch(cell)
            axes.text(c + 0.5, r + 0.53, str(f), ha="center", va="center", fontsize=10)
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal", xticks=[])
    axes.set_yticks(np.arange(rows) + 0.5, [str(r) for r in range(rows)])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize=10.5, loc="center")


@lesson_figure
def head_split(T: int = 4, d: int = 8, n_head: int = 2) -> tuple[Figure, str]:
    """Draw which position and feature lands in which head: axes swapped, and reshaped straight."""
    x = np.arange(T * d).reshape(T, d)
    right = split_heads(x, n_head)  # (h, T, d_k)
    wrong = x.reshape(n_head, T, d // n_head)  # (h, T, d_k) as well
    colours = [BLUE, ORANGE, GREEN, PURPLE, SKY, GREY][:T]

    figure = Figure(figsize=(8.4, 4.9))
    grid = figure.add_gridspec(2, n_head + 1, width_ratios=[2] + [1.1] * n_head)
    axes = figure.add_subplot(grid[:, 0])
    _cells(axes, x, d, colours, f"the features, ({T}, {d})")
    axes.set_ylabel("row = position t")
    axes.set_xlabel("a colour is a position,\na number is a feature", labelpad=10)
    for row, (heads, name) in enumerate([(right, "axes swapped"), (wrong, "straight")]):
        for i, head in enumerate(heads):
            axes = figure.add_subplot(grid[row, i + 1])
            _cells(axes, head, d, colours, f"{name}: head {i}")
            if i == 0:
                axes.set_ylabel("row of the head")
    figure.suptitle("Same shapes, other numbers: reshaped straight, a head gets whole positions")
    seen = [sorted({int(v) // d for v in head.ravel()}) for head in wrong]
    return figure, (
        f"A ({T}, {d}) matrix split into {n_head} heads of shape ({T}, {d // n_head}), twice. "
        f"With swapped axes head 0 holds features 0 to {d // n_head - 1} of every position, one "
        "position a row. Reshaped straight, "
        + "; ".join(
            f"head {i} holds all features of positions {p} only" for i, p in enumerate(seen)
        )
        + ", each spread over several rows."
    )


@lesson_figure
def score_variance(
    d_k: Sequence[int], unscaled: Sequence[float], n_head: int = 12
) -> tuple[Figure, str]:
    """Draw the measured variance of q·k over the head size, unscaled and with two scales."""
    sizes, variance = np.asarray(d_k), np.asarray(unscaled)
    figure = Figure(figsize=(7.0, 3.7))
    axes = figure.add_subplot()
    for values, colour, text in (
        (variance, DARK_RED, "q·k: grows as $d_k$"),
        (variance / sizes, GREEN, "q·k / $\\sqrt{d_k}$: 1"),
        (variance / (n_head * sizes), BLUE, f"q·k / $\\sqrt{{d}}$: 1/h = 1/{n_head}"),
    ):
        axes.loglog(sizes, values, "o-", color=colour)
        axes.text(sizes[-1] * 1.2, values[-1], text, va="center", color=colour, fontsize=10)
    axes.set(
        title="Dividing by $\\sqrt{d_k}$ keeps the scores at variance 1, whatever the head size",
        xlabel="head size $d_k$",
        ylabel="variance of the scores",
        xlim=(sizes[0] * 0.8, sizes[-1] * 12),
    )
    axes.set_xticks(sizes, [str(s) for s in sizes])
    axes.minorticks_off()
    return figure, (
        "Line chart, logarithmic, of the variance of scores of unit-variance queries and keys: "
        + ", ".join(f"{v:.1f} at d_k = {s}" for s, v in zip(sizes, variance, strict=True))
        + f" without a scale; about 1 throughout when divided by √d_k; about 1/{n_head} when "
        f"divided by √d with {n_head} heads."
    )


@lesson_figure
def gelu_forms(limit: float = 5.0) -> tuple[Figure, str]:
    """Draw the tanh form of GELU, and its difference from the exact one with the largest marked."""
    x = np.linspace(-limit, limit, 2001)
    difference = gelu(x) - exact_gelu(x)
    top = int(np.argmax(np.round(np.abs(difference) * (x > 0), 12)))
    at, most = x[top], difference[top]

    figure = Figure(figsize=(7.4, 4.8))
    curve, gap = figure.subplots(2, 1, sharex=True)
    curve.plot(x, exact_gelu(x), color=SKY, linewidth=6, alpha=0.6)
    curve.plot(x, gelu(x), color=INK, linewidth=1.3)
    curve.text(0.3, 3.1, "exact, x Φ(x): wide\ntanh form: thin", ha="right", fontsize=10)
    curve.set(title="The two forms of GELU look the same …", ylabel="GELU(x)")
    gap.plot(x, difference * 1e4, color=BLUE)
    gap.axhline(0, color=GREY, linewidth=0.8)
    gap.plot([-at, at], [most * 1e4] * 2, "o", color=DARK_RED)
    note = f"largest: {most * 1e4:.2f}e-4 at x = ±{at:.2f}"
    gap.text(0, most * 1e4, note, color=DARK_RED, ha="center", va="center", fontsize=10)
    gap.set(
        title="… and differ by less than 0.0005",
        xlabel="x",
        ylabel="tanh − exact  (1e-4)",
    )
    return figure, (
        f"Two panels over x from {-limit:g} to {limit:g}. Above, the exact GELU and its tanh form "
        "lie on one another. Below, tanh form minus exact form: zero at 0 and far out, at most "
        f"{most:.6f} at x = ±{at:.2f}, and at least {difference.min():.6f}."
    )


@lesson_figure
def tolerance_scale(
    errors: Mapping[str, float], float64_bound: float = 1e-12, float32_bound: float = 1e-5
) -> tuple[Figure, str]:
    """Draw how far off the logits are under each mistake, beside the two bands of rounding."""
    names = sorted(errors, key=lambda name: errors[name])
    sizes = [errors[name] for name in names]
    figure = Figure(figsize=(7.8, 3.7))
    axes = figure.add_subplot()
    low, top = 1e-16, len(names) - 0.45
    axes.axvspan(low, float64_bound, color=to_rgba(GREEN, 0.22), linewidth=0)
    axes.axvspan(float64_bound, float32_bound, color=to_rgba(ORANGE, 0.18), linewidth=0)
    axes.text(low * 2, top, "rounding, float64", va="center", fontsize=9.5)
    axes.text(float64_bound * 2, top, "rounding, float32", va="center", fontsize=9.5)
    axes.hlines(range(len(names)), low, sizes, color=BLUE, linewidth=1.2)
    axes.plot(sizes, range(len(names)), "o", color=BLUE, markersize=8)
    for y, size in enumerate(sizes):
        axes.text(size * 2.5, y, f"{size:.2g}", va="center", fontsize=10)
    axes.set(
        xscale="log",
        xlim=(low, 1e3),
        ylim=(-0.5, len(names) - 0.1),
        xlabel="largest difference of a logit",
        title="A tolerance belongs between the rounding and the smallest mistake",
    )
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return figure, (
        "Dot chart on a logarithmic axis of the largest difference of a logit under each mistake: "
        + ", ".join(f"{name} {size:.2g}" for name, size in zip(names, sizes, strict=True))
        + f". Shaded: rounding, below {float64_bound:g} in float64 and below {float32_bound:g} in "
        "float32."
    )
