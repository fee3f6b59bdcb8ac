"""The picture of a run: one panel for each number type and length, bars of seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from course_lib.plots.style import BLUE, INK, ORANGE, label_bars, lesson_figure

NAMES = {
    "fast": "course_lib.fast_gpt",
    "fast-new": "fast_gpt, new memory",
    "readable": "course_lib.gpt",
    "torch": "PyTorch, eager",
    "onnxruntime": "onnxruntime",
}


@lesson_figure
def bars(rows: Sequence[dict[str, Any]], machine: Mapping[str, Any]) -> tuple[Figure, str]:
    """Draw the medians of the forward passes of one sequence, with the limit as a line."""
    shown = [r for r in rows if r["task"] == "forward" and r["B"] == 1 and r["contender"] in NAMES]
    panels = list(dict.fromkeys((row["dtype"], row["T"]) for row in shown))
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    figure = Figure(figsize=(9.2, 2.1 * lines + 0.9))
    grid = figure.subplots(lines, columns, squeeze=False)
    said = []
    for axes in grid.ravel()[len(panels) :]:
        axes.axis("off")
    for axes, (dtype, T) in zip(grid.ravel(), panels, strict=False):
        these = [row for row in shown if (row["dtype"], row["T"]) == (dtype, T)]
        seconds = [row["median"] for row in these]
        colours = [ORANGE if row["contender"].startswith("fast") else BLUE for row in these]
        drawn = axes.barh([NAMES[row["contender"]] for row in these], seconds, color=colours)
        digits = 3 if max(seconds) < 1 else 2
        texts = [f"{s:.{digits}f} s" for s in seconds]
        label_bars(axes, drawn, texts)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.set(title=f"{dtype}, T = {T}", xlim=(0, max(seconds) * 1.25))
        limits = [row["limit"] for row in these if "limit" in row]
        note = ""
        if limits:
            axes.axvline(limits[0], color=INK, linestyle=":", linewidth=1.5)
            axes.text(limits[0], len(these) - 0.2, " matrix products alone", color=INK, fontsize=9)
            axes.set_ylim(len(these) - 0.1, -0.6)
            note = f", the matrix products alone {limits[0]:.{digits}f} s"
        pairs = zip(these, texts, strict=True)
        said.append(
            f"{dtype}, T = {T}: "
            + ", ".join(f"{NAMES[row['contender']]} {text}" for row, text in pairs)
            + note
        )
    where = f"{machine['processor']}, {machine['cores']} cores, {machine['instructions']}"
    figure.supxlabel(f"seconds for all logits of one text; {where}", fontsize=10)
    return figure, "Bar charts of the time of one forward pass. " + "; ".join(said) + "."
