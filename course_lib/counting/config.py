"""A decoder as data: the published configuration of one model, checked.

`tensors.py` turns it into the list of named tensors from which everything else is counted;
`models.py` reads configurations from models.csv, `hub_config.py` from a config.json.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from course_lib.validation import require_int

NORMS = {  # kind -> the vectors it learns
    "LayerNorm": ("gain", "bias"),
    "LayerNorm without bias": ("gain",),
    "LayerNorm without parameters": (),
    "RMSNorm": ("gain",),
}
PLACEMENTS = ("pre", "post", "pre and post", "after sublayer")
PARALLEL = ("no", "one norm", "two norms")
QK_NORMS = ("no", "per head", "whole width")
POSITIONS = ("learned", "rotary", "alibi", "sinusoidal", "none")
ATTENTION_BIASES = frozenset({"q", "k", "v", "o"})
BIASES = ATTENTION_BIASES | {"mlp", "experts", "head", "latent", "router"}

_WIDTHS = ("V", "T", "d", "L", "h", "h_kv", "d_k", "d_v", "d_ff", "d_embed", "d_expert")
_COUNTS = ("position_offset", "experts", "experts_active", "experts_shared")
_LATENTS = ("q_latent", "kv_latent", "d_rope")
_MOST_LAYERS = 10_000
_LEFT_OUT: Any = None  # __post_init__ fills these fields in, so that readers always see an int


@dataclass(frozen=True)
class ModelConfig:
    """The choices that fix every tensor shape of a decoder, in the lessons' symbols.

    Left out, h_kv is h, d_k is d/h, d_v is d_k, d_ff is 4d, d_embed is d and d_expert is d_ff:
    with the other defaults that is GPT-2. After construction none of them is None.

    Raises TypeError or ValueError, naming the field, what came and what is allowed.
    """

    V: int  # rows of the token table, padding included
    T: int  # context: positions the model was made for
    d: int  # width of the residual stream
    L: int  # blocks
    h: int  # query heads
    h_kv: int = _LEFT_OUT  # key and value heads; filled in below
    d_k: int = _LEFT_OUT  # size of a query or key head
    d_v: int = _LEFT_OUT  # size of a value head
    d_ff: int = _LEFT_OUT  # width of the (dense) MLP
    d_embed: int = _LEFT_OUT  # width of the token table (OPT 350M: 512)
    gated: bool = False  # three MLP matrices (SwiGLU, GeGLU) instead of two
    norm: str = "LayerNorm"
    placement: str = "pre"
    parallel: str = "no"  # attention and MLP side by side, with one norm or two
    final_norm: bool = True
    embedding_norm: bool = False
    qk_norm: str = "no"  # "per head": one gain of size d_k; "whole width": h * d_k (OLMo 2)
    biases: frozenset[str] = ATTENTION_BIASES | {"mlp"}
    tied: bool = True
    positions: str = "learned"
    position_offset: int = 0  # rows of the position table before position 0 (OPT: 2)
    experts: int = 0
    experts_active: int = 0  # routed experts a token visits
    experts_shared: int = 0  # experts that every token visits
    d_expert: int = _LEFT_OUT  # width of one expert
    dense_blocks: frozenset[int] = frozenset()  # blocks with a dense MLP although others route
    q_latent: int = 0  # multi-head latent attention: width of the query latent, 0 for none
    kv_latent: int = 0  # width of the key-value latent; above 0 means latent attention
    d_rope: int = 0  # part of d_k that carries the rotary positions
    name: str = field(default="custom model", compare=False)
    source: str = field(default="", compare=False)
    published: int | None = field(default=None, compare=False)
    note: str = field(default="", compare=False)
    V_used: int | None = field(default=None, compare=False)  # ids the tokenizer can produce

    def __post_init__(self) -> None:
        self._whole_numbers()
        self._choices()
        if self.L > _MOST_LAYERS:
            raise ValueError(f"L must be at most {_MOST_LAYERS:,} blocks, got {self.L:,}")
        if self.h % self.h_kv:
            raise ValueError(
                f"h_kv must divide h, so that each key head serves as many query heads; "
                f"got h = {self.h}, h_kv = {self.h_kv}"
            )
        if self.parallel != "no" and self.placement != "pre":
            raise ValueError(
                f"parallel blocks have their norms in front: placement must be 'pre', "
                f"got {self.placement!r}"
            )
        self._experts()
        if self.kv_latent and not 0 < self.d_rope < self.d_k:
            raise ValueError(
                f"d_rope must lie between 0 and d_k = {self.d_k} in latent attention, "
                f"got {self.d_rope}"
            )
        if not self.kv_latent and (self.q_latent or self.d_rope):
            raise ValueError("q_latent and d_rope need kv_latent above 0 (latent attention)")

    def _whole_numbers(self) -> None:
        for name in ("V", "T", "d", "L", "h"):
            self._put(name, require_int(name, getattr(self, name)))
        given = {name for name in _WIDTHS if getattr(self, name) is not None}
        if "d_k" not in given and self.d % self.h:
            raise ValueError(
                f"h must divide d when d_k is not given; got d = {self.d}, h = {self.h}. "
                f"Give d_k, or choose another h"
            )
        for name in _WIDTHS:
            if name not in given:  # each default needs only fields that stand before it
                self._put(name, _DEFAULTS[name](self))
            self._put(name, require_int(name, getattr(self, name)))
        for name in _COUNTS + _LATENTS:
            self._put(name, require_int(name, getattr(self, name), low=0))

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # the dataclass is frozen for everyone else

    def _choices(self) -> None:
        allowed: dict[str, tuple[str, ...]] = {
            "norm": tuple(NORMS),
            "placement": PLACEMENTS,
            "parallel": PARALLEL,
            "qk_norm": QK_NORMS,
            "positions": POSITIONS,
        }
        for name, options in allowed.items():
            value = getattr(self, name)
            if value not in options:
                raise ValueError(f"{name} must be one of {', '.join(options)}; got {value!r}")
        for name in ("gated", "final_norm", "embedding_norm", "tied"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, got {getattr(self, name)!r}")
        self._put("biases", frozenset(self.biases))
        if unknown := self.biases - BIASES:
            raise ValueError(
                f"biases may name {', '.join(sorted(BIASES))}; got {', '.join(sorted(unknown))}"
            )

    def _experts(self) -> None:
        if not self.experts:
            if self.experts_active or self.experts_shared or self.dense_blocks:
                raise ValueError(
                    "experts_active, experts_shared and dense_blocks need experts above 0"
                )
            return
        if not 1 <= self.experts_active <= self.experts:
            raise ValueError(
                f"experts_active must lie between 1 and experts = {self.experts}, "
                f"got {self.experts_active}"
            )
        self._put("dense_blocks", frozenset(self.dense_blocks))
        if outside := [i for i in self.dense_blocks if not 0 <= i < self.L]:
            raise ValueError(f"dense_blocks must lie in 0 .. {self.L - 1}, got {min(outside)}")

    def without_attention_biases(self) -> ModelConfig:
        """The same model counted as in the Lesson 14 source: no bias on Q, K, V and O."""
        return replace(self, biases=self.biases - ATTENTION_BIASES, published=None)

    def with_padded_vocabulary(self, multiple: int = 128) -> ModelConfig:
        """The same model with V rounded up to a multiple; no token uses the added rows."""
        multiple = require_int("multiple", multiple)
        V = -(-self.V // multiple) * multiple
        return replace(self, V=V, V_used=self.V_used or self.V, published=None)


_DEFAULTS: dict[str, Callable[[ModelConfig], int]] = {
    "h_kv": lambda c: c.h,
    "d_k": lambda c: c.d // c.h,
    "d_v": lambda c: c.d_k,
    "d_ff": lambda c: 4 * c.d,
    "d_embed": lambda c: c.d,
    "d_expert": lambda c: c.d_ff,
}
