"""Figures of lesson 6, the tied embedding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course_lib.layers import softmax
from course_lib.plots.style import (
    BLUE,
    DARK_RED,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RED,
    SKY,
    label_bars,
    lesson_figure,
)


@lesson_figure
def matched_filter_bank(scores: Any) -> tuple[Figure, str]:
    """Draw the output of each correlator <h, e_v>, the largest one marked."""
    z = np.asarray(scores)
    best = int(z.argmax())
    figure = Figure(figsize=(7.6, 3.5))
    axes = figure.add_subplot()
    axes.bar(np.arange(len(z)), z, color=[GREEN if v == best else SKY for v in range(len(z))])
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.annotate(
        f"token {best}: {z[best]:.3f}", (best, z[best]), xytext=(8, -4),
        textcoords="offset points", fontsize=10,
    )  # fmt: skip
    axes.set(
        title=f"{len(z)} correlators, one for each row of E",
        xlabel="token id v (0-based)",
        ylabel=r"score  $\langle h,\ e_v\rangle$",
        xlim=(-1, len(z)),
    )
    return figure, (
        f"Bar chart of {len(z)} scores from {z.min():.2f} to {z.max():.2f}, one a token; the "
        f"largest is token {best} with {z[best]:.6f}."
    )


@lesson_figure
def temperatures(scores: Any, taus: Sequence[float], top: int = 12) -> tuple[Figure, str]:
    """Draw the probabilities of the best tokens, in order, at several temperatures."""
    z = np.asarray(scores)
    order = np.argsort(-z, kind="stable")[:top]
    figure = Figure(figsize=(7.6, 3.4))
    axes = figure.add_subplot()
    width, described = 0.8 / len(taus), []
    for i, (tau, colour) in enumerate(zip(taus, (BLUE, GREEN, ORANGE), strict=False)):
        p = softmax(z / tau)[order]
        places = np.arange(top) + (i - (len(taus) - 1) / 2) * width
        axes.bar(places, p, width, color=colour, label=f"τ = {tau:g}: best {p[0]:.1%}")
        described.append(f"{p[0]:.1%} at temperature {tau:g}")
    axes.legend(loc="upper right")
    axes.set(
        title="Temperature changes how sure the softmax is, not the order",
        xlabel=f"token id, the {top} best in order of score",
        ylabel="probability",
    )
    axes.set_xticks(np.arange(top), [str(v) for v in order])
    return figure, (
        f"Bar chart of the {top} best tokens at {len(taus)} temperatures, in the same order each "
        "time. The best token has " + ", ".join(described) + "."
    )


@lesson_figure
def gradient_by_row(
    through_head: Any, through_lookup: Any, idx: Any, targets: Any
) -> tuple[Figure, str]:
    """Draw the norm of each row's gradient, split by path, with what each row is in the text."""
    V = len(through_head)
    read, wanted = np.bincount(idx, minlength=V), np.bincount(targets, minlength=V)
    roles = [
        "\n".join([f"read × {n}"] * bool(n) + [f"target × {m}"] * bool(m)) or "neither"
        for n, m in zip(read, wanted, strict=True)
    ]
    head = np.linalg.norm(through_head, axis=-1)
    lookup = np.linalg.norm(through_lookup, axis=-1)
    rows = np.arange(len(head))
    figure = Figure(figsize=(7.8, 3.9))
    axes = figure.add_subplot()
    axes.bar(rows - 0.2, head, 0.38, color=BLUE, label="through the head")
    axes.bar(rows + 0.2, lookup, 0.38, color=ORANGE, label="through the lookup")
    axes.legend(loc="upper right")
    axes.set(
        title="Every row has gradient from the head, only rows that were read from the lookup",
        ylabel="norm of the row's gradient",
        ylim=(0, max(head.max(), lookup.max()) * 1.25),
    )
    axes.title.set_fontsize(11)
    axes.set_xticks(rows, [f"row {v}\n{role}" for v, role in enumerate(roles)], fontsize=9)
    return figure, (
        "Grouped bars, gradient norm of each row of E through head and lookup: "
        + "; ".join(
            f"row {v} ({role.replace(chr(10), ', ')}) {head[v]:.3f} and {lookup[v]:.3f}"
            for v, role in enumerate(roles)
        )
        + "."
    )


@lesson_figure
def unseen_row_drift(
    tied_move: Any, untied_move: Any, score: Any, seen_score: Any
) -> tuple[Figure, str]:
    """Draw how far the never-seen row moved, and its mean score, over gradient steps.

    All (steps + 1,): distance of the row from its start in a tied and an untied input table; mean
    score of the unseen token, and the mean over the other tokens of theirs.
    """
    tied, untied = np.asarray(tied_move), np.asarray(untied_move)
    low, rest = np.asarray(score), np.asarray(seen_score)
    steps = np.arange(len(tied))
    figure = Figure(figsize=(8.4, 3.8))
    left, right = figure.subplots(1, 2)
    middle = len(steps) // 2
    left.plot(steps, tied, color=BLUE)
    left.plot(steps, untied, color=GREY)
    left.text(middle, tied[middle] - 0.05, "tied table", color=BLUE, va="top", fontsize=10)
    left.text(middle, 0.05, "input table of its own:\nit never moves", color=GREY, fontsize=10)
    left.set(
        title="How far the unseen row has moved",
        xlabel="gradient step",
        ylabel="distance from where it started",
        ylim=(-0.03, tied.max() * 1.1),
    )
    right.plot(steps, rest, color=GREEN)
    right.plot(steps, low, color=RED)
    right.text(
        middle, rest[middle] + 0.06, "the others, on average", color=GREEN, fontsize=10, ha="center"
    )
    right.text(
        middle, low[middle] + 0.06, "the unseen token", color=DARK_RED, fontsize=10, ha="center"
    )
    right.axhline(0, color=INK, linewidth=0.8)
    right.set(title="Mean score over the text", xlabel="gradient step", ylabel="score (nats)")
    return figure, (
        f"Two line plots over {steps[-1]} gradient steps. Left: the row of a token that never "
        f"occurs moves {tied[-1]:.2f} away from its start in a tied table and {untied[-1]:.2f} in "
        f"an input table of its own. Right: its mean score goes from {low[0]:.2f} to "
        f"{low[-1]:.2f}, that of the other tokens from {rest[0]:.2f} to {rest[-1]:.2f}."
    )


@lesson_figure
def after_seen_and_unseen(
    seen: Any, unseen: Any, seen_id: int, unseen_id: int
) -> tuple[Figure, str]:
    """Draw the predicted next token after a token of the text and after the unseen one."""
    figure = Figure(figsize=(8.4, 3.4))
    axes_pair = figure.subplots(1, 2, sharey=True)
    described = []
    for axes, values, token, colour, what in (
        (axes_pair[0], seen, seen_id, BLUE, "read often"),
        (axes_pair[1], unseen, unseen_id, RED, "never read"),
    ):
        p = np.asarray(values)
        best = int(p.argmax())
        axes.bar(np.arange(len(p)), p, color=colour)
        axes.set(
            title=f"after token {token} ({what})",
            xlabel="next token",
            xticks=np.arange(len(p)),
            ylim=(0, 1),
        )
        axes.annotate(
            f"{best}: {p[best]:.0%}", (best, p[best]), xytext=(0, 4), textcoords="offset points",
            ha="center", fontsize=10,
        )  # fmt: skip
        described.append(f"after token {token} ({what}) {p[best]:.0%} on token {best}")
    axes_pair[0].set_ylabel("probability")
    return figure, "Two bar charts of the predicted next token: " + "; ".join(described) + "."


@lesson_figure
def table_shares(shares: Mapping[str, float], tied: Mapping[str, bool]) -> tuple[Figure, str]:
    """Draw the share of V·d in each model, coloured by whether the head is tied."""
    names = sorted(shares, key=lambda name: -shares[name])
    figure = Figure(figsize=(7.6, 0.36 * len(names) + 1.1))
    axes = figure.add_subplot()
    places = np.arange(len(names))[::-1]
    values = [100 * shares[name] for name in names]
    bars = axes.barh(places, values, color=[BLUE if tied[n] else ORANGE for n in names])
    label_bars(
        axes,
        bars,
        [
            f"{v:.1f} % {'tied' if tied[n] else 'untied'}"
            for n, v in zip(names, values, strict=True)
        ],
    )
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    axes.set(
        title="What one token table weighs, in % of the model's parameters",
        xlabel="V·d / all parameters (%)",
        xlim=(0, max(values) * 1.25),
    )
    return figure, (
        "Bar chart of the share of one V by d table in each model: "
        + ", ".join(
            f"{n} {v:.1f} % ({'tied' if tied[n] else 'untied'})"
            for n, v in zip(names, values, strict=True)
        )
        + "."
    )
