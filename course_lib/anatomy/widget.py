"""The explorer as a Jupyter widget: the same JavaScript as the saved page, its state in traits."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from course_lib.anatomy.payload import as_fields, from_fields, payload
from course_lib.anatomy.source import module, style
from course_lib.counting import MODELS, ModelConfig
from course_lib.counting.hub_config import ConfigError, from_hub, parse
from course_lib.validation import require_int


class Anatomy(anywidget.AnyWidget):
    """Look into a decoder: select its parts, compare it, change it, solve the challenges.

    model: a name of the table, such as "gpt2". T: tokens in the sequence. compare: another model to
    show beside it. part: what is selected, such as "attention", "mlp", "token-embedding".
    What the reader does shows in the attributes: `config` is the model as it stands, `solved` the
    challenges met, `visited` the parts of GPT-2 small looked at.

    Raises UnknownModelError for an unknown model, TypeError or ValueError for a T that is no whole
    number between 1 and the model's context.
    """

    _esm = module("widget.js")
    _css = style("style.css")

    model = traitlets.Unicode("GPT-2 small").tag(sync=True)
    compare = traitlets.Unicode("").tag(sync=True)
    T = traitlets.Int(8).tag(sync=True)
    part = traitlets.Unicode("attention").tag(sync=True)
    edits = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    solved = traitlets.List(traitlets.Unicode()).tag(sync=True)
    visited = traitlets.List(traitlets.Unicode()).tag(sync=True)
    data = traitlets.Dict().tag(sync=True)

    def __init__(
        self, model: str = "gpt2", T: int = 8, compare: str = "", part: str = "attention"
    ) -> None:
        shown = [MODELS[name] for name in (model, compare) if name]
        shortest = min(shown, key=lambda config: config.T)
        T = require_int("T", T)
        if T > shortest.T:
            raise ValueError(f"T must be at most {shortest.T:,}, the context of {shortest.name}")
        names = [config.name for config in shown]
        other = names[1] if compare else ""
        super().__init__(model=names[0], compare=other, T=T, part=part, data=payload())
        self.on_msg(_answer)

    def __repr__(self) -> str:
        beside = f", compare={self.compare!r}" if self.compare else ""
        return f"Anatomy(model={self.model!r}, T={self.T}{beside})"

    @property
    def config(self) -> ModelConfig:
        """The model shown, with what was changed by hand or read from a file."""
        base = MODELS[self.model]
        return from_fields(as_fields(base), self.edits) if self.edits else base

    @traitlets.validate("model", "compare")
    def _known(self, proposal: dict[str, Any]) -> str:
        name: str = proposal["value"]
        return MODELS[name].name if name else ""

    @traitlets.validate("edits")
    def _possible(self, proposal: dict[str, Any]) -> dict[str, Any] | None:
        edits: dict[str, Any] | None = proposal["value"]
        if edits:
            from_fields(as_fields(MODELS[self.model]), edits)  # raises the reason
        return edits

    @traitlets.validate("T")
    def _within_context(self, proposal: dict[str, Any]) -> int:
        T: int = proposal["value"]
        if not 1 <= T <= self.config.T:
            raise ValueError(
                f"T must be between 1 and {self.config.T:,}, the context of {self.config.name}; "
                f"got {T:,}"
            )
        return T


def _answer(widget: Anatomy, message: Any, _buffers: object) -> None:
    """Read the config.json that was dropped on the widget, and answer with its fields."""
    if message.get("kind") != "config":
        return
    try:
        fields = as_fields(from_hub(parse(message.get("text", ""))))
    except ConfigError as error:
        widget.send({"kind": "config", "reason": str(error)})
    else:
        widget.send({"kind": "config", "fields": fields})
