"""Figures of lesson 3, the parameter count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.counting import PARTS, ModelConfig, params, params_by_part, tensors
from course_lib.plots.style import (
    BLUE,
    DARK_RED,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    label_bars,
    lesson_figure,
)

PART_COLOURS = {
    "token embedding": ORANGE,
    "position embedding": GREY,
    "embedding projection": INK,
    "attention": GREEN,
    "mlp": SKY,
    "norm": DARK_RED,
    "head": PURPLE,
}


def short(n: float) -> str:
    """A count in three digits with its unit: 124M, 38.6M, 38.4K."""
    for unit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if n >= 0.9995 * unit:  # what rounds to 1000K is 1.00M
            scaled = n / unit
            digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
            return f"{scaled:.{digits}f}{letter}"
    return f"{n:.0f}"


def tick(n: float) -> str:
    """A round number on an axis, with its unit: 50K, 2.5M."""
    unit, letter = next((u for u in ((1e9, "B"), (1e6, "M"), (1e3, "K")) if n >= u[0]), (1, ""))
    return f"{n / unit:g}{letter}"


@lesson_figure
def block_matrices(*configs: ModelConfig) -> tuple[Figure, str]:
    """Draw every matrix of one block to scale, in units of d, for one model or several."""
    pictures = [_rows_of_matrices(c) for c in configs]
    widest = max(sum(row.values()) for rows in pictures for row in rows)
    tallest = max(len(rows) for rows in pictures)
    figure = Figure(figsize=(7.6 if len(configs) > 1 else 4.1, 1.05 * tallest + 0.4))
    panels = figure.subplots(1, len(configs), squeeze=False)[0]
    alts = []
    for config, rows, axes in zip(configs, pictures, panels, strict=True):
        attention = sum(rows[0].values())
        mlp = sum(width for row in rows[1:] for width in row.values())
        slivers = sum(t.count for t in tensors(config) if t.block == 0) / config.d
        slivers -= (attention + mlp) * config.d
        total = f"{attention + mlp:g} d² + {slivers:g} d"
        _draw_rows(axes, rows)
        axes.set(
            xlim=(-0.03, widest + 0.03),
            ylim=(-tallest * 1.12 + 0.1, 0.03),
            aspect="equal",
            anchor="NW",
            title=f"{config.name}: {total}\n{attention:g} d² attention, {mlp:g} d² MLP",
        )
        axes.axis("off")
        widths = ", ".join(f"{name} {width:g}" for row in rows for name, width in row.items())
        alts.append(
            f"{config.name}, {total}: {attention:g} d² attention and {mlp:g} d² MLP ({widths}); "
            f"the {slivers:g} d of vectors are too thin to draw at d = {config.d:,}"
        )
    return figure, "One block, each matrix to scale, in squares of d by d. " + "; ".join(alts) + "."


def _rows_of_matrices(config: ModelConfig) -> list[dict[str, float]]:
    """Attention in one row, each MLP matrix in a row of its own: name -> width in units of d."""
    attention: dict[str, float] = {}
    mlp = []
    for t in tensors(config):
        if t.block == 0 and t.kind == "matrix":
            name, width = t.name.rpartition(".")[2], t.count / config.d**2
            if t.part == "attention":
                attention[name] = width
            else:
                mlp.append({name: width})
    return [attention, *mlp]


def _draw_rows(axes: Axes, rows: list[dict[str, float]]) -> None:
    for number, row in enumerate(rows):
        x, y = 0.0, -1.12 * number - 1
        colour = SKY if number else GREEN
        for name, width in row.items():
            axes.add_patch(
                Rectangle((x, y), width, 1, facecolor=colour + "55", edgecolor=colour, linewidth=2)
            )
            for cut in range(1, ceil(width)):
                axes.plot([x + cut] * 2, [y, y + 1], color=colour, linewidth=1, linestyle=":")
            letter, _, index = name.partition("_")
            axes.text(
                x + width / 2,
                y + 0.5,
                f"${letter}_{{{index}}}$",
                ha="center",
                va="center",
                fontsize=11,
                rotation=0 if width > 0.4 else 90,
                bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1},
            )
            x += width


@lesson_figure
def component_bars(counts: Mapping[str, int], title: str) -> tuple[Figure, str]:
    """Draw parameters by component, each bar with its count and its share."""
    total = sum(counts.values())
    figure = Figure(figsize=(7.0, 3.5))
    axes = figure.add_subplot()
    colours = dict(zip(counts, (ORANGE, GREY, BLUE, DARK_RED, PURPLE), strict=False))
    bars = axes.bar(list(counts), list(counts.values()), color=list(colours.values()), width=0.66)
    label_bars(axes, bars, [f"{n:,}\n{_percent(n, total)}" for n in counts.values()])
    axes.set(
        title=title,
        ylabel="parameters",
        ylim=(0, max(counts.values()) * 1.2),
    )
    axes.yaxis.set_major_formatter(lambda n, _: tick(n))
    return figure, (
        f"Bar chart, {title}. "
        + ", ".join(f"{name} {n:,} ({_percent(n, total)})" for name, n in counts.items())
        + f"; {total:,} in all."
    )


@lesson_figure
def shares_by_model(configs: Sequence[ModelConfig], title: str) -> tuple[Figure, str]:
    """Draw for each model which share of its parameters each part holds."""
    figure = Figure(figsize=(7.8, 0.47 * len(configs) + 1.5))
    axes = figure.add_subplot()
    alts = []
    parts = [p for p in PARTS if any(p in params_by_part(c) for c in configs)]
    for y, config in enumerate(configs):
        counts, total, left = params_by_part(config), params(config), 0.0
        for part, n in counts.items():
            share = 100 * n / total
            axes.barh(y, share, left=left, color=PART_COLOURS[part], height=0.7)
            if share >= 3.5:
                dark = part == "position embedding"
                axes.text(
                    left + share / 2,
                    y,
                    f"{share:.0f}",
                    ha="center",
                    va="center",
                    fontsize=9.5,
                    color="white" if dark else "black",
                )
            left += share
        axes.text(101, y, short(total), va="center", fontsize=9.5)
        shares = ", ".join(f"{p} {_percent(n, total)}" for p, n in counts.items())
        alts.append(f"{config.name}, {total:,} parameters: {shares}")
    axes.set(
        title=title,
        xlabel="share of all parameters (%)",
        xlim=(0, 100),
        yticks=range(len(configs)),
        yticklabels=[c.name for c in configs],
    )
    axes.invert_yaxis()
    names = {"mlp": "MLP", "norm": "norms", "head": "own head", "position embedding": "positions"}
    figure.legend(
        handles=[Rectangle((0, 0), 1, 1, color=PART_COLOURS[p]) for p in parts],
        labels=[names.get(p, p) for p in parts],
        loc="outside lower center",
        ncols=len(parts),
        fontsize=9.5,
        handlelength=1.1,
        columnspacing=1.4,
    )
    return figure, "Stacked bars, one a model. " + "; ".join(alts) + "."


@lesson_figure
def named_counts(
    counts: Mapping[str, int], title: str, xlabel: str, highlight: str = ""
) -> tuple[Figure, str]:
    """Draw several counts of one thing as bars, the smallest on top, one of them highlighted."""
    ordered = dict(sorted(counts.items(), key=lambda item: item[1]))
    figure = Figure(figsize=(7.8, 0.36 * len(ordered) + 1.1))
    axes = figure.add_subplot()
    colours = [GREEN if name == highlight else BLUE for name in ordered]
    bars = axes.barh(list(ordered), list(ordered.values()), color=colours, height=0.66)
    label_bars(axes, bars, [f"{n:,}" for n in ordered.values()])
    axes.invert_yaxis()
    axes.set(xlabel=xlabel, xlim=(0, max(ordered.values()) * 1.24))
    axes.xaxis.set_major_formatter(lambda n, _: tick(n))
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure, f"Bar chart, {title}. " + "; ".join(
        f"{k}: {n:,}" for k, n in ordered.items()
    ) + (f". Highlighted: {highlight}." if highlight else ".")


def _percent(n: int, total: int) -> str:
    share = 100 * n / total
    return "0 %" if not n else f"{share:.1f} %" if share >= 0.05 else "under 0.1 %"
