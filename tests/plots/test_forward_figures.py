"""What the signal-flow graph of lesson 1 writes on its edges and in its boxes."""

from __future__ import annotations

from typing import Any, cast

from course_lib.plots.forward import signal_flow_graph

Place = tuple[float, float, str]


def texts(**sizes: int) -> list[Place]:
    figure, _ = cast(Any, signal_flow_graph).__wrapped__(**sizes)
    (axes,) = figure.axes
    return [(*text.get_position(), text.get_text()) for text in axes.texts]


def test_each_edge_around_a_sublayer_carries_the_shape_of_the_stream() -> None:
    shape = "(9, 32)"
    labels = texts(T=9, d=32, V=70, N=2, h=2, d_ff=100)
    for sublayer in ("causal attention", "MLP"):
        ((_, middle, _),) = [place for place in labels if place[2].startswith(sublayer)]
        beside = sorted(x for x, y, text in labels if text == shape and abs(y - middle) < 0.5)
        below = [x for x, y, text in labels if text == shape and 0.5 < middle - y < 1.3]
        assert len(beside) == 2, "stream to layer norm, layer norm to sublayer"
        assert len(below) == 2, "the stream itself, and the way back to it"


def test_what_stays_inside_a_sublayer_stands_in_its_box() -> None:
    labels = texts(T=9, d=32, V=70, N=2, h=2, d_ff=100)
    for sublayer, inside in {
        "causal attention": "inside: scores 2 × (9, 9)",
        "MLP": "inside: hidden (9, 100)",
    }.items():
        ((x, y, _),) = [place for place in labels if place[2].startswith(sublayer)]
        ((at_x, at_y, _),) = [place for place in labels if place[2] == inside]
        assert (at_x, abs(at_y - y) < 0.5) == (x, True)
