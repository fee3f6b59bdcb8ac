"""The numbers in GPT-2 that people get wrong in ways nobody can list. See `checks.fitted`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from course_lib.checks.exercises.gpt_logits.reference import GPT2, Block
from course_lib.checks.exercises.gpt_logits.switches import mask, mlp, scores, wiring
from course_lib.checks.exercises.gpt_logits.switches.layer_norm import LESSON as NORM
from course_lib.checks.fitted import Constant, log_grid
from course_lib.checks.side_by_side import Pieces

EMBEDDING = "01_forward_pass, embedding"
HEAD = "01_forward_pass, the head"
FACTORS = log_grid(1e-3, 1e3, 24, signs=True)
Array = Any


def _first(a: float, b: float) -> Pieces:
    def block(m: GPT2, block: Block, x: Array) -> Array:
        y = a * x + b * m.attention(block, m.norm1(block, x))
        return y + m.mlp(block, m.norm2(block, y))

    return {"transformer_block": block}


def _second(a: float, b: float) -> Pieces:
    def block(m: GPT2, block: Block, x: Array) -> Array:
        y = x + m.attention(block, m.norm1(block, x))
        return a * y + b * m.mlp(block, m.norm2(block, y))

    return {"transformer_block": block}


def _gelu(root: float, cubic: float) -> Pieces:
    return {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(root * (x + cubic * (x * x * x))))}


def _sigmoid_gelu(c: float) -> Pieces:
    return {"gelu": lambda m, x: x / (1 + np.exp(-c * x))}


def _filled(c: float) -> Pieces:
    return {"mask": lambda m, s: np.where(m.visible(m.T), s, c)}


def _added(c: float) -> Pieces:
    return {"mask": lambda m, s: s + np.where(m.visible(m.T), 0, c)}


def _more_below(c: float) -> Pieces:
    def softmax(m: GPT2, s: Array) -> Array:
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / (w.sum(axis=-1, keepdims=True) + c)

    return {"softmax": softmax}


def _capped(c: float) -> Pieces:
    return {"mask": lambda m, s: GPT2.mask(m, c * np.tanh(s / c))}


_RESIDUAL = "x = x + f(LN(x)), with no factor on either side. Your numbers fit {value}."

CONSTANTS = (
    Constant(
        "eps_fitted", "Layer norm's ε is not 1e-5",
        "GPT-2 uses ε = 1e-5. Your numbers fit {value}.", NORM, "norm",
        lambda c: {"eps": c}, 1e-5, log_grid(1e-13, 10.0, 30),
    ),
    Constant(
        "scale_fitted", "The scores are scaled by another number than 1/√d_k",
        "All your scores are those of 1/√d_k times {value}: a factor that has no place there.",
        scores.LESSON, "scores",
        lambda c: {"scale": lambda m, d_k: c / math.sqrt(d_k)}, 1.0, FACTORS,
    ),
    Constant(
        "scale_number", "The scores are scaled by a fixed number, not by 1/√d_k",
        "The scale must follow from the shapes. Your numbers fit {value} whatever d_k is.",
        scores.LESSON, "scores", lambda c: {"scale": lambda m, d_k: c}, 0.0, FACTORS,
    ),
    Constant(
        "gelu_root_fitted", "The GELU's √(2/π) is wrong",
        "The factor inside the tanh is √(2/π) ≈ 0.79788456. Your numbers fit {value}.",
        mlp.LESSON, "mlp", lambda c: _gelu(c, 0.044715), mlp.ROOT, log_grid(0.02, 20),
    ),
    Constant(
        "gelu_cubic_fitted", "The GELU's coefficient 0.044715 is wrong",
        "The cubic term is 0.044715·x³. Your numbers fit {value}.",
        mlp.LESSON, "mlp", lambda c: _gelu(mlp.ROOT, c), 0.044715, log_grid(1e-4, 10, signs=True),
    ),
    Constant(
        "gelu_sigmoid_fitted", "The activation is x·σ(c·x), not GPT-2's GELU",
        "GPT-2 uses the tanh form. Your numbers fit c = {value}.",
        mlp.LESSON, "mlp", _sigmoid_gelu, 0.0, log_grid(0.05, 20),
    ),
    Constant(
        "leaky_fitted", "The activation is a leaky ReLU, not GELU",
        "GPT-2's MLP uses GELU in its tanh form. Your numbers fit a slope of {value} below 0.",
        mlp.LESSON, "mlp", lambda c: {"gelu": lambda m, x: np.where(x > 0, x, c * x)}, 0.0,
        log_grid(1e-4, 2, signs=True),
    ),
    Constant(
        "activation_factor", "The GELU is multiplied by a factor that has no place there",
        "GELU(x) ≈ ½x(1 + tanh(…)). Your numbers fit {value} times that.",
        mlp.LESSON, "mlp", lambda c: {"gelu": lambda m, x: c * GPT2.gelu(m, x)}, 1.0, FACTORS,
    ),
    *(Constant(
        f"residual_fitted_{name}", f"{what} scaled in the forward pass", _RESIDUAL,
        wiring.LESSON, "whole", make, 1.0, FACTORS,
    ) for name, what, make in (
        ("branches", "The residual branches are", lambda c: {
            "residual": lambda m, x, y: x + c * y}),
        ("attention", "The attention's residual branch is", lambda c: _first(1, c)),
        ("mlp", "The MLP's residual branch is", lambda c: _second(1, c)),
        ("sums", "The residual sums are", lambda c: {"residual": lambda m, x, y: c * (x + y)}),
        ("first_sum", "The residual sum after the attention is", lambda c: _first(c, c)),
        ("second_sum", "The residual sum after the MLP is", lambda c: _second(c, c)),
        ("stream", "The residual stream is", lambda c: {"residual": lambda m, x, y: c * x + y}),
        ("first_stream", "The residual stream beside the attention is", lambda c: _first(c, 1)),
        ("second_stream", "The residual stream beside the MLP is", lambda c: _second(c, 1)),
    )),
    Constant(
        "head_fitted", "The logits are scaled by a factor or a temperature",
        "GPT-2's logits are x @ wte.T. Yours are {value} times that.",
        HEAD, "embed", lambda c: {"head": lambda m, x: c * GPT2.head(m, x)}, 1.0, FACTORS,
    ),
    Constant(
        "tokens_fitted", "The token embedding is scaled",
        "x starts as wte[idx] + wpe[:T]. Your numbers fit {value} times the token rows.",
        EMBEDDING, "embed", lambda c: {"token_rows": lambda m, i: c * GPT2.token_rows(m, i)}, 1.0,
        FACTORS,
    ),
    Constant(
        "positions_fitted", "The position embedding is scaled",
        "x starts as wte[idx] + wpe[:T]. Your numbers fit {value} times the position rows.",
        EMBEDDING, "embed", lambda c: {"position_rows": lambda m, i: c * GPT2.position_rows(m, i)},
        1.0, FACTORS,
    ),
    Constant(
        "embedding_fitted", "The embedding is scaled",
        "x starts as wte[idx] + wpe[:T]. Your numbers fit {value} times that sum.",
        EMBEDDING, "embed", lambda c: {"embed": lambda m, i: c * GPT2.embed(m, i)}, 1.0, FACTORS,
    ),
    Constant(
        "gain_fitted", "Layer norm adds a number to its gain",
        "The normalised vector is multiplied by γ itself. Your numbers fit γ + {value}.",
        NORM, "norm", lambda c: {"affine": lambda m, n, g, b: (g + c) * n + b}, 0.0, FACTORS,
    ),
    *(Constant(
        f"fill_fitted_{n}", "The mask's fill does not hide: the future leaks at ordinary scores",
        "The hidden scores must be −∞, or as good as that. Your numbers fit {value}.",
        mask.LESSON, "mask", make, 0.0, log_grid(0.05, 60, signs=True),
    ) for n, make in enumerate((_filled, _added))),
    Constant(
        "softmax_sum_fitted", "The softmax has a constant in its denominator",
        "The weights of a row must sum to exactly 1. Your numbers fit a sum plus {value}.",
        scores.LESSON, "scores", _more_below, 0.0, log_grid(1e-9, 100, signs=True),
    ),
    Constant(
        "scores_capped_fitted", "The scores are capped by a tanh (soft-capping)",
        "GPT-2's scores are q·k/√d_k, whatever their size. Your numbers fit a cap of {value}.",
        scores.LESSON, "loud", _capped, 0.0, log_grid(0.5, 200),
    ),
    Constant(
        "logits_capped_fitted", "The logits are capped by a tanh (soft-capping)",
        "GPT-2's logits are x @ wte.T. Your numbers fit a cap of {value}.",
        HEAD, "embed", lambda c: {"head": lambda m, x: c * np.tanh(GPT2.head(m, x) / c)}, 0.0,
        log_grid(0.5, 200),
    ),
)  # fmt: skip
