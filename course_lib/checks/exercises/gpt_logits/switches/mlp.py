"""Mistakes in the MLP and its GELU. How to add one: __init__.py."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2

LESSON = "01_forward_pass, the MLP and GELU"
PART = "mlp"
Array = Any  # NDArray; a wrong variant may return anything

ROOT = math.sqrt(2 / math.pi)
_erf = np.vectorize(math.erf, otypes=[float])


def _tanh_gelu(root: float = ROOT, cubic: float = 0.044715) -> dict[str, Any]:
    return {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(root * (x + cubic * x**3)))}


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


_GATES: tuple[Callable[[GPT2, Array], Array], ...] = (
    GPT2.gelu,
    lambda m, x: x * _sigmoid(x),
    lambda m, x: _sigmoid(x),
    lambda m, x: np.maximum(x, 0),
)


SWITCHES = (
    switch(
        "gelu_exact", "The GELU is the exact one (erf), not the tanh form",
        "GPT-2 uses the tanh approximation. The two differ by less than 0.001, which is enough to "
        "show in the logits.",
        LESSON, PART, gelu=lambda m, x: 0.5 * x * (1 + _erf(x / math.sqrt(2))),
    ),
    switch(
        "gelu_sigmoid", "The GELU is the sigmoid approximation x·σ(1.702x)",
        "GPT-2 uses the tanh approximation.",
        LESSON, PART, {"gelu": lambda m, x: x * _sigmoid(1.702 * x)},
        {"gelu": lambda m, x: x * _sigmoid(1.7 * x)},
        {"gelu": lambda m, x: x * _sigmoid(1.6 * x)},
        {"gelu": lambda m, x: x * _sigmoid(2 * x)},
        {"gelu": lambda m, x: 1.702 * x * _sigmoid(x)},
        {"gelu": lambda m, x: _sigmoid(1.702 * x)},
    ),
    switch(
        "relu", "The activation is ReLU, not GELU",
        "GPT-2's MLP uses GELU in its tanh form.",
        LESSON, PART, gelu=lambda m, x: np.maximum(x, 0),
    ),
    switch(
        "silu", "The activation is SiLU (swish), x·σ(x), not GELU",
        "GPT-2's MLP uses GELU in its tanh form.",
        LESSON, PART, gelu=lambda m, x: x * _sigmoid(x),
    ),
    switch(
        "tanh_activation", "The activation is tanh alone, not GELU",
        "GELU multiplies its input by a gate: ½x(1 + tanh(…)).",
        LESSON, PART, {"gelu": lambda m, x: np.tanh(x)}, {"gelu": lambda m, x: x * np.tanh(x)},
        {"gelu": lambda m, x: 0.5 * (1 + np.tanh(x))},
    ),
    switch(
        "sigmoid_activation", "The activation is a sigmoid alone, not GELU",
        "GELU multiplies its input by a gate: ½x(1 + tanh(…)).",
        LESSON, PART, gelu=lambda m, x: _sigmoid(x),
    ),
    switch(
        "gelu_gate_alone", "The GELU is not multiplied by x, or lacks the 1 + before the tanh",
        "GELU(x) ≈ ½x(1 + tanh(…)): x times a gate between 0 and 1.",
        LESSON, PART,
        {"gelu": lambda m, x: 0.5 * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))},
        {"gelu": lambda m, x: np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: x * np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * x * np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 1 + np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * (1 + _erf(x / math.sqrt(2)))},
    ),
    switch(
        "other_activation", "The activation is a relative of ReLU, not GELU",
        "GPT-2's MLP uses GELU in its tanh form.",
        LESSON, PART,
        {"gelu": lambda m, x: np.maximum(x, 0) ** 2},
        {"gelu": lambda m, x: np.where(x > 0, x, 0.01 * x)},
        {"gelu": lambda m, x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))},
        {"gelu": lambda m, x: np.logaddexp(0, x)},
        {"gelu": lambda m, x: x * np.tanh(np.logaddexp(0, x))},
        {"gelu": lambda m, x: np.where(x > 0, x, 0.1 * x)},
        {"gelu": lambda m, x: np.where(x > 0, x, 0.2 * x)},
        {"gelu": lambda m, x: np.clip(x, 0, 6)},
        {"gelu": lambda m, x: x * np.clip(x + 3, 0, 6) / 6},
        {"gelu": lambda m, x: np.abs(x)},
        {"gelu": lambda m, x: np.where(x > 0, x, 0.25 * x)},
        {"gelu": lambda m, x: np.where(x > 0, x, 0.3 * x)},
        {"gelu": lambda m, x: np.where(x > 0, x, 0.001 * x)},
        {"gelu": lambda m, x: 1.0507009873554805 * np.where(
            x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))},
        {"gelu": lambda m, x: np.minimum(x, 0)},
        {"gelu": lambda m, x: (x > 0) * 1.0},
        {"gelu": lambda m, x: x / (1 + np.abs(x))},
        {"gelu": lambda m, x: x * np.clip(0.2 * x + 0.5, 0, 1)},
        {"gelu": lambda m, x: np.clip(x, -1, 1)},
    ),
    switch(
        "no_activation", "The activation between the two matrices is missing",
        "Without GELU the MLP is one linear map.",
        LESSON, PART, gelu=lambda m, x: x,
    ),
    switch(
        "gelu_not_halved", "The GELU lacks its factor ½",
        "GELU(x) ≈ ½x(1 + tanh(√(2/π)(x + 0.044715x³))).",
        LESSON, PART,
        gelu=lambda m, x: x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3))),
    ),
    switch(
        "gelu_root", "The GELU's √(2/π) is wrong",
        "The factor inside the tanh is √(2/π) ≈ 0.79788456.",
        LESSON, PART,
        *(_tanh_gelu(root) for root in (
            2 / math.pi, math.sqrt(math.pi / 2), math.sqrt(2) / math.pi, 1.0, math.sqrt(2),
            1 / math.sqrt(2), math.sqrt(1 / math.pi), math.sqrt(2 * math.pi),
            2 / math.sqrt(math.pi),
            math.pi / 2, math.sqrt(math.pi), math.sqrt(2) * math.pi, math.pi, 2 * math.pi,
            math.sqrt(2) / 2 / math.pi, math.sqrt(3 / math.pi), 0.5, 2.0, 1.702)),
    ),
    switch(
        "gelu_root_rounded", "The GELU's √(2/π) is rounded",
        "A few digits are not enough to agree to 1e-8: write np.sqrt(2 / np.pi).",
        LESSON, PART,
        *(_tanh_gelu(root) for root in (
            0.8, 0.79, 0.798, 0.7979, 0.7978, 0.79788, 0.797885, 0.797884, 0.7978845)),
        tolerance=3e-10,
    ),
    switch(
        "gelu_coefficient", "The GELU's coefficient 0.044715 is wrong",
        "The cubic term is 0.044715·x³.",
        LESSON, PART,
        *(_tanh_gelu(cubic=c) for c in (
            0.44715, 0.0044715, 0.0447, 0.04471, 0.044, 0.045, 0.04, 0.44, 0.047715, 0.04715,
            0.04475, 0.044175, 0.0477, 0.444715, 0.4, 0.5, 0.1, 0.044751, 0.047, 0.04472)),
    ),
    switch(
        "gelu_square", "The GELU's cubic term has the wrong power",
        "Inside the tanh stands x + 0.044715·x³.",
        LESSON, PART,
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**2)))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x + (0.044715 * x) ** 3)))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (1 + 0.044715 * x**3)))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**4)))},
    ),
    switch(
        "gelu_no_cubic", "The GELU's cubic term is missing",
        "Inside the tanh stands x + 0.044715·x³, not x alone.",
        LESSON, PART, _tanh_gelu(cubic=0.0),
    ),
    switch(
        "gelu_sigmoid_of_z", "The GELU is x·σ(z) where it should be x·σ(2z)",
        "½(1 + tanh z) equals σ(2z), not σ(z).",
        LESSON, PART,
        gelu=lambda m, x: x * _sigmoid(ROOT * (x + 0.044715 * x**3)),
    ),
    switch(
        "gelu_minus", "The GELU has a wrong sign",
        "GELU(x) ≈ ½x(1 + tanh(…)): a plus before the tanh, and a plus before the cubic term.",
        LESSON, PART,
        {"gelu": lambda m, x: 0.5 * x * (1 - np.tanh(ROOT * (x + 0.044715 * x**3)))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x - 0.044715 * x**3)))},
        {"gelu": lambda m, x: 0.5 * x * (1 - np.tanh(ROOT * (x - 0.044715 * x**3)))},
        {"gelu": lambda m, x: 0.5 * x * (np.tanh(ROOT * (x + 0.044715 * x**3)) - 1)},
        {"gelu": lambda m, x: -0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))},
    ),
    switch(
        "gelu_brackets", "The GELU's brackets are wrong",
        "GELU(x) ≈ ½ · x · (1 + tanh(√(2/π) · (x + 0.044715x³))): look at the parentheses around "
        "1 + tanh, and at those inside the tanh.",
        LESSON, PART,
        {"gelu": lambda m, x: 0.5 * x + np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * (x + np.tanh(ROOT * (x + 0.044715 * x**3)))},
        {"gelu": lambda m, x: 0.5 * x + 1 + np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 + x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT) * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * x) + 0.044715 * x**3)},
        {"gelu": lambda m, x: 0.5 * x * np.tanh(1 + ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * x * (1 + ROOT * np.tanh(x + 0.044715 * x**3))},
        {"gelu": lambda m, x: x + 0.5 * np.tanh(ROOT * (x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715) ** 3))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715) * x**3))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * x + 0.044715 * x**3))},
        {"gelu": lambda m, x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x) ** 3))},
    ),
    switch(
        "erf_without_root", "The erf in the GELU is not taken of x/√2",
        "And GPT-2 uses the tanh form in any case: ½x(1 + tanh(√(2/π)(x + 0.044715x³))).",
        LESSON, PART, *({"gelu": lambda m, x, c=c: 0.5 * x * (1 + _erf(c * x))}
                        for c in (1.0, math.sqrt(2), 0.5)),
    ),
    switch(
        "gelu_overflow", "The GELU overflows for large inputs",
        "Written with exp, tanh becomes infinity over infinity. np.tanh does not overflow.",
        LESSON, "loud",
        {"gelu": lambda m, x: 0.5 * x * (1 + (
            (e := np.exp(2 * ROOT * (x + 0.044715 * x**3))) - 1) / (e + 1))},
    ),
    switch(
        "gelu_after_w_proj", "The GELU comes after the second matrix, or after both",
        "The order is w_fc, GELU, w_proj.",
        LESSON, PART,
        {"mlp": lambda m, b, x: m.gelu(m.mlp_out(b, m.mlp_in(b, x)))},
        {"mlp": lambda m, b, x: m.gelu(m.mlp_out(b, m.gelu(m.mlp_in(b, x))))},
        {"mlp": lambda m, b, x: m.mlp_out(b, m.mlp_in(b, m.gelu(x)))},
    ),
    switch(
        "gelu_twice", "The GELU is applied twice",
        "The order is w_fc, GELU, w_proj.",
        LESSON, PART, mlp=lambda m, b, x: m.mlp_out(b, m.gelu(m.gelu(m.mlp_in(b, x)))),
    ),
    switch(
        "no_b_fc", "The bias b_fc is missing",
        "The first layer of the MLP is x @ w_fc + b_fc.",
        LESSON, PART, mlp_in=lambda m, b, x: x @ b["w_fc"],
    ),
    switch(
        "no_b_proj", "The bias b_proj is missing",
        "The second layer of the MLP is hidden @ w_proj + b_proj.",
        LESSON, PART, mlp_out=lambda m, b, x: x @ b["w_proj"],
    ),
    switch(
        "no_mlp_bias", "Both biases of the MLP are missing",
        "Add b_fc after w_fc and b_proj after w_proj.",
        LESSON, PART,
        mlp_in=lambda m, b, x: x @ b["w_fc"], mlp_out=lambda m, b, x: x @ b["w_proj"],
    ),
    switch(
        "no_linear_bias", "All biases of the linear layers are missing",
        "Add b_qkv, b_o, b_fc and b_proj. They are zero in a fresh model, so a test there cannot "
        "see that they are missing.",
        LESSON, PART,
        qkv=lambda m, b, x: x @ b["w_qkv"], project=lambda m, b, y: y @ b["w_o"],
        mlp_in=lambda m, b, x: x @ b["w_fc"], mlp_out=lambda m, b, x: x @ b["w_proj"],
    ),
    switch(
        "b_fc_after_gelu", "b_fc is added after the GELU",
        "The bias belongs inside: GELU(x @ w_fc + b_fc).",
        LESSON, PART,
        {"mlp": lambda m, b, x: m.mlp_out(b, m.gelu(x @ b["w_fc"]) + b["b_fc"])},
        {"mlp": lambda m, b, x: m.mlp_out(b, m.gelu(m.mlp_in(b, x)) + b["b_fc"])},
    ),
    switch(
        "mlp_matrix_for_both", "One matrix of the MLP is used twice: w_fc and w_projᵀ are mixed up",
        "The MLP has two matrices: x @ w_fc, and hidden @ w_proj. Here w_fcᵀ stands in place of "
        "w_proj, or w_projᵀ in place of w_fc.",
        LESSON, PART,
        {"mlp_out": lambda m, b, x: x @ b["w_fc"].T + b["b_proj"]},
        {"mlp_in": lambda m, b, x: x @ b["w_proj"].T + b["b_fc"]},
    ),
    switch(
        "mlp_gated", "The MLP is gated (GLU): one half of the hidden features multiplies the other",
        "SwiGLU and GEGLU belong to later models. GPT-2's MLP is w_fc, GELU, w_proj.",
        LESSON, PART,
        *({"mlp": lambda m, b, x, f=f: (
            (u := m.mlp_in(b, x))[..., : 2 * m.d] * f(m, u[..., 2 * m.d :]))
            @ b["w_proj"][: 2 * m.d] + b["b_proj"]} for f in _GATES),
        *({"mlp": lambda m, b, x, f=f: (
            f(m, (u := m.mlp_in(b, x))[..., : 2 * m.d]) * u[..., 2 * m.d :])
            @ b["w_proj"][: 2 * m.d] + b["b_proj"]} for f in _GATES),
        *({"gelu": lambda m, x, f=f: x * f(m, x)} for f in _GATES[:1]),
    ),
    switch(
        "w_fc_reshaped", "w_fc is reshaped or transposed where it should be used as it is",
        "Weights are stored (input, output): x @ w_fc, with w_fc of shape (d, 4d).",
        LESSON, PART,
        {"mlp_in": lambda m, b, x: x @ b["w_fc"].T.reshape(b["w_fc"].shape) + b["b_fc"]},
        {"mlp_in": lambda m, b, x: x @ b["w_fc"].reshape(b["w_fc"].shape[::-1]).T + b["b_fc"]},
        {"mlp_in": lambda m, b, x: x @ b["w_proj"].reshape(b["w_fc"].shape) + b["b_fc"]},
    ),
    switch(
        "w_proj_reshaped", "w_proj is reshaped or transposed where it should be used as it is",
        "Weights are stored (input, output): hidden @ w_proj, with w_proj of shape (4d, d).",
        LESSON, PART,
        {"mlp_out": lambda m, b, x: x @ b["w_proj"].T.reshape(b["w_proj"].shape) + b["b_proj"]},
        {"mlp_out": lambda m, b, x: x @ b["w_proj"].reshape(b["w_proj"].shape[::-1]).T
         + b["b_proj"]},
        {"mlp_out": lambda m, b, x: x @ b["w_fc"].reshape(b["w_proj"].shape) + b["b_proj"]},
    ),
    switch(
        "mlp_matrices_transposed", "Both matrices of the MLP are reshaped or transposed",
        "Weights are stored (input, output): x @ w_fc and hidden @ w_proj.",
        LESSON, PART,
        {"mlp_in": lambda m, b, x: x @ b["w_proj"].T + b["b_fc"],
         "mlp_out": lambda m, b, x: x @ b["w_fc"].T + b["b_proj"]},
        {"mlp_in": lambda m, b, x: x @ b["w_fc"].reshape(b["w_fc"].shape[::-1]).T + b["b_fc"],
         "mlp_out": lambda m, b, x: x @ b["w_proj"].reshape(b["w_proj"].shape[::-1]).T
         + b["b_proj"]},
    ),
)  # fmt: skip
