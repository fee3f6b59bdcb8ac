"""One look for every figure of the lessons, and the words for those who cannot see it.

A plot function draws with a plain matplotlib `Figure` and returns it with its alt text; the
decorator `lesson_figure` runs it in a fixed style, whatever the reader's own matplotlib settings
are, and turns the result into a picture with a description. The PNG depends on the numbers and
on matplotlib's version alone (no date, no program name), so that the lessons can compare it.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

# The palette of Okabe & Ito (2008), which readers with any colour vision can tell apart.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW, GREY, INK = "#56B4E9", "#CC79A7", "#F0E442", "#767676", "#222222"
DARK_RED = "#B03A00"  # red that is dark enough for small text
SEQUENTIAL = "viridis"  # light is large; even in brightness, and safe for colour blindness

STYLE: dict[str, Any] = {
    "figure.dpi": 100,
    "figure.figsize": (7.0, 3.6),
    "figure.constrained_layout.use": True,
    "font.size": 10.5,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, PURPLE, RED, SKY]),
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "lines.linewidth": 2,
    "text.color": INK,
    "axes.labelcolor": INK,
}

Args = ParamSpec("Args")


class LessonFigure:
    """A finished picture and its description, as a notebook shows them.

    JupyterLab reads no alt text from a PNG output, so the HTML form carries it; other readers
    take the PNG, and a text-only one prints the description.
    """

    def __init__(self, png: bytes, alt: str, width: int) -> None:
        self.png = png
        self.alt = " ".join(alt.split())
        self.width = width

    def __repr__(self) -> str:
        return f"[figure] {self.alt}"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        data = base64.b64encode(self.png).decode()
        image = (
            f'<img src="data:image/png;base64,{data}" alt="{html.escape(self.alt)}" '
            f'style="width: {self.width}px; max-width: 100%; height: auto">'
        )
        bundle = {"image/png": data, "text/html": image, "text/plain": repr(self)}
        return bundle, {"image/png": {"alt": self.alt, "width": self.width}}


def lesson_figure(draw: Callable[Args, tuple[Figure, str]]) -> Callable[Args, LessonFigure]:
    """Turn a function that returns (figure, alt text) into one that returns a `LessonFigure`."""

    @wraps(draw)
    def drawn(*args: Args.args, **kwargs: Args.kwargs) -> LessonFigure:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(STYLE)  # type: ignore[arg-type]  # matplotlib checks the names
            figure, alt = draw(*args, **kwargs)
            FigureCanvasAgg(figure)
            drawn_png = io.BytesIO()
            # 1.5 times the pixels for sharp text; Software would name matplotlib's version
            figure.savefig(drawn_png, format="png", dpi=150, metadata={"Software": None})
            width = round(figure.get_size_inches()[0] * 100)
        return LessonFigure(with_palette(drawn_png), alt, width)

    return drawn


def with_palette(png: io.BytesIO) -> bytes:
    """Store a picture with 256 colours of its own: it looks the same in 0.4 times the bytes."""
    smaller = io.BytesIO()
    picture = Image.open(png).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(smaller, format="PNG", optimize=True)
    return smaller.getvalue()


def heatmap(axes: Axes, values: Any, label: str, **kwargs: Any) -> Any:
    """Draw a matrix as coloured cells, row 0 on top, with a colour bar that says the unit."""
    values = np.round(np.asarray(values, dtype=np.float64), 9)  # no colour hangs on a last bit
    image = axes.imshow(
        values, aspect="auto", interpolation="nearest", **{"cmap": SEQUENTIAL, **kwargs}
    )
    axes.spines[:].set_visible(False)
    assert axes.figure is not None
    axes.figure.colorbar(image, ax=axes, label=label)
    return image


def label_bars(axes: Axes, bars: Any, texts: list[str]) -> None:
    """Write a text at the end of each bar."""
    axes.bar_label(bars, labels=texts, padding=3, fontsize=9.5)
