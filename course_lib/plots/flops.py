"""Figures of lesson 4, the compute budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from course_lib.counting import (
    ModelConfig,
    attention_matrix_flops,
    context_for_attention_share,
    crossover_context,
    forward_flops,
)
from course_lib.plots.counting import PART_COLOURS, tick
from course_lib.plots.style import BLUE, DARK_RED, GREY, INK, RED, SKY, label_bars, lesson_figure

LABELS = {
    "attention": "attention\nprojections",
    "mlp": "MLP",
    "head": "head",
    "attention matrix": "attention\nmatrices",
}


@lesson_figure
def budget_bars(flops: Mapping[str, int], title: str) -> tuple[Figure, str]:
    """Draw the forward FLOPs per token of each part; the embedding lookup is the empty bar."""
    total = sum(flops.values())
    rows = {"embedding\nlookup": 0} | {LABELS.get(p, p): n for p, n in flops.items()}
    colours = [GREY] + [RED if p == "attention matrix" else PART_COLOURS[p] for p in flops]
    figure = Figure(figsize=(7.0, 3.6))
    axes = figure.add_subplot()
    bars = axes.bar(list(rows), list(rows.values()), color=colours, width=0.66)
    label_bars(axes, bars, [f"{n:,}\n{100 * n / total:.1f} %" if n else "0" for n in rows.values()])
    axes.set(title=title, ylabel="forward FLOPs per token", ylim=(0, max(rows.values()) * 1.2))
    axes.yaxis.set_major_formatter(lambda n, _: tick(n))
    shares = (f"{name} {n:,} ({100 * n / total:.1f} %)" for name, n in flops.items())
    return figure, (
        f"Bar chart, {title}. Embedding lookup 0, " + ", ".join(shares) + f"; {total:,} in all."
    )


@lesson_figure
def crossover(d: int, context: int, name: str) -> tuple[Figure, str]:
    """Draw per layer and token: the MLP, flat, against the attention matrices, growing with T."""
    full, causal = crossover_context(d), crossover_context(d, causal=True)
    mlp = 16 * d * d
    T = np.array([1, causal * 1.12])
    figure = Figure(figsize=(7.6, 4.1))
    axes = figure.add_subplot()
    axes.axhline(mlp, color=SKY, linewidth=3)
    axes.text(0.01 * T[1], mlp * 1.05, f"MLP, 16d² = {mlp:,}", fontsize=9.5)
    axes.plot(T, 4 * T * d, color=RED)
    axes.plot(T, 2 * (T + 1) * d, color=BLUE, linestyle="--")
    axes.text(full * 1.25, 1.38 * mlp, "all T × T entries, 4Td ", ha="right", fontsize=9.5)
    axes.text(
        causal * 0.98,
        0.5 * mlp,
        "causal entries only,\n2(T + 1)d on average",
        ha="right",
        fontsize=9.5,
    )
    for x, label in ((full, f"T* = 4d = {full:,}"), (causal, f"8d − 1 = {causal:,}")):
        axes.plot([x, x], [0, mlp], color=INK, linewidth=1, linestyle=":")
        axes.plot(x, mlp, "o", color=INK, markersize=6)
        axes.text(x - 0.008 * T[1], 0.03 * mlp, label, ha="right", fontsize=9.5)
    axes.axvspan(0, context, color=GREY, alpha=0.16, linewidth=0)
    axes.text(
        context / 2, 1.72 * mlp, f"{name}\nreads\n{context:,}\ntokens", ha="center", fontsize=9.5
    )
    axes.set(
        title=f"{name}: attention costs as much as the MLP at {full / context:g} times its context",
        xlabel="context length T (tokens)",
        ylabel="forward FLOPs per token, one layer",
        xlim=(0, T[1]),
        ylim=(0, 2.2 * mlp),
    )
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.yaxis.set_major_formatter(lambda n, _: tick(n))
    return figure, (
        f"Line chart for {name}, one layer: the MLP costs {mlp:,} FLOPs per token at any context. "
        f"The attention matrices rise in proportion to T and reach that at T = {full:,} if all "
        f"T by T entries are counted, at T = {causal:,} if only the causal ones are. The model's "
        f"context, {context:,}, lies below both."
    )


@lesson_figure
def attention_share_curves(config: ModelConfig, marks: Sequence[int]) -> tuple[Figure, str]:
    """Draw the attention matrices' share of the forward FLOPs over T, counted full and causal.

    `marks` are the contexts to label; T* = 4d and the context of a 90 % share are marked too.
    """
    T = np.unique(np.geomspace(64, 524_288, 160).astype(int))
    figure = Figure(figsize=(7.6, 4.0))
    axes = figure.add_subplot(xscale="log")
    for attention, colour, line in (("full", RED, "-"), ("causal", BLUE, "--")):
        axes.plot(T, [_share(config, int(t), attention) for t in T], color=colour, linestyle=line)
    axes.text(4_600, 64, "all T × T\nentries", fontsize=9.5, color=DARK_RED)
    axes.text(31_000, 60, "causal entries only", fontsize=9.5, color=BLUE)
    star = crossover_context(config.d)
    ninety = context_for_attention_share(config.V, config.d, config.L)
    axes.axvline(star, color=INK, linewidth=1, linestyle=":")
    axes.text(star * 0.93, 77, f"T* = 4d\n= {star:,}", ha="right", fontsize=9.5)
    axes.axhline(90, color=GREY, linewidth=1, linestyle=":")
    axes.axvspan(T[0], config.T, color=GREY, alpha=0.16, linewidth=0)
    axes.text(config.T * 0.92, 60, f"its context:\n{config.T:,}", ha="right", fontsize=9.5)
    shares = {t: _share(config, t, "full") for t in marks}
    for t, share in shares.items():
        axes.plot(t, share, "o", color=RED)
        axes.annotate(
            f"{share:.1f} %",
            (t, share),
            xytext=(-7, 3),
            textcoords="offset points",
            ha="right",
            fontsize=9.5,
        )
    axes.set(
        title=f"{config.name}: beyond T*, attention takes over",
        xlabel="context length T (tokens, log scale)",
        ylabel="attention matrices (% of forward FLOPs)",
        xlim=(T[0], T[-1]),
        ylim=(0, 100),
        xticks=[128, 1024, *marks, 524_288],
    )
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.minorticks_off()
    return figure, (
        f"Curves of the share of the forward FLOPs that {config.name} would spend on attention "
        f"matrices, over T on a log axis. All T by T entries: "
        + ", ".join(f"{share:.1f} % at T = {t:,}" for t, share in shares.items())
        + f"; 90 % is passed at T = {ninety:,}. Causal entries only: "
        + ", ".join(f"{_share(config, t, 'causal'):.1f} % at T = {t:,}" for t in marks)
        + f". T* = {star:,} is marked; the model's own context is {config.T:,}."
    )


def _share(config: ModelConfig, T: int, attention: str) -> float:
    """Percent of the forward FLOPs (matmuls) in the attention matrices."""
    part = attention_matrix_flops(config, T, attention=attention)
    return 100 * part / forward_flops(config, T, attention=attention)
