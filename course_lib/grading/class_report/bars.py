"""The distribution of totals as a drawing: SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.grading.feedback.verdict import points

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 640, 240, 44, 44, 24


def bars(bins: Sequence[tuple[float, float, int]], description: str) -> str:
    """Return an SVG picture of a histogram: (from, to, count) for each bar."""
    if not bins:
        return ""
    highest = max(1, *(count for _, _, count in bins))
    wide = (WIDTH - LEFT) / len(bins)
    high = HEIGHT - BELOW - ABOVE
    base = HEIGHT - BELOW
    drawn = []
    for index, (start, end, count) in enumerate(bins):
        left, tall = LEFT + index * wide, high * count / highest
        label = f"{points(start)} to {points(end)} points: {count}"
        drawn.append(
            f'<rect x="{left + 1:.1f}" y="{base - tall:.1f}" width="{wide - 2:.1f}" '
            f'height="{tall:.1f}"><title>{label}</title></rect>'
        )
        if count:
            drawn.append(
                f'<text x="{left + wide / 2:.1f}" y="{base - tall - 6:.1f}">{count}</text>'
            )
    every = max(1, round(len(bins) / 5))
    edges = [(i, bins[i][0]) for i in range(0, len(bins), every) if i + every / 2 < len(bins)]
    for index, value in [*edges, (len(bins), bins[-1][1])]:
        x = min(LEFT + index * wide, WIDTH - 18)
        drawn.append(f'<text x="{x:.1f}" y="{base + 20}">{points(value)}</text>')
    drawn.append(f'<line x1="{LEFT}" y1="{base}" x2="{WIDTH}" y2="{base}"/>')
    return (
        f'<svg class="bars" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{description}">'
        + "".join(drawn)
        + "</svg>"
    )
