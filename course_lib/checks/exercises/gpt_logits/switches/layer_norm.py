"""Mistakes in the layer norm: statistics, ε, axis, gain and bias. How to add one: __init__.py."""

from functools import partial
from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2
from course_lib.checks.side_by_side import Pieces

LESSON = "01_forward_pass, layer norm"
PART = "norm"


def _one_eps(place: str, eps: float) -> Pieces:
    """Give one of the layer norms an ε of its own."""
    right = getattr(GPT2, place)

    def norm(m: Any, *args: Any) -> Any:
        m.eps = eps
        out = right(m, *args)
        del m.eps
        return out

    return {place: norm}


def _only(place: str, pieces: Pieces) -> Pieces:
    """Make a mistake in one of the layer norms only."""
    right = getattr(GPT2, place)

    def norm(m: Any, *args: Any) -> Any:
        for name, piece in pieces.items():
            m.__dict__[name] = partial(piece, m)
        try:
            return right(m, *args)
        finally:
            for name in pieces:
                m.__dict__.pop(name, None)

    return {place: norm}


def _everywhere(*forms: Pieces) -> tuple[Pieces, ...]:
    """Return each form for all layer norms, then the first of them for each norm by itself."""
    places = ("norm1", "norm2", "norm_final")
    return (*forms, *(_only(place, forms[0]) for place in places))


def _over(*axes: Any) -> Pieces:
    return {
        "mean": lambda m, x: x.mean(axis=axes, keepdims=True),
        "variance": lambda m, x, mean: ((x - mean) ** 2).mean(axis=axes, keepdims=True),
    }


SWITCHES = (
    switch(
        "ln_sample_variance", "Layer norm divides by d − 1, not by d",
        "This is the sample variance (ddof=1, the default of torch.var). GPT-2 uses the population "
        "variance: the mean of the squared deviations over all d features.",
        LESSON, PART,
        *_everywhere({"variance": lambda m, x, mean: x.var(axis=-1, keepdims=True, ddof=1)}),
    ),
    switch(
        "ln_eps_outside_root", "Layer norm adds ε outside the square root",
        "You divide by σ + ε. GPT-2 adds ε to the variance: the divisor is √(σ² + ε).",
        LESSON, PART,
        *_everywhere({"deviation": lambda m, variance: np.sqrt(variance) + m.eps}),
    ),
    switch(
        "ln_no_eps", "Layer norm has no ε (eps)",
        "The divisor is √σ² alone, so a row of equal features divides 0 by 0. It is √(σ² + ε).",
        LESSON, PART,
        deviation=lambda m, variance: np.sqrt(variance),
    ),
    switch(
        "ln_eps_1e-6", "Layer norm's ε is 1e-6, not 1e-5",
        "GPT-2 uses ε = 1e-5; 1e-6 belongs to other models.",
        LESSON, PART, eps=1e-6,
    ),
    switch(
        "ln_eps_1e-12", "Layer norm's ε is 1e-12, not 1e-5",
        "GPT-2 uses ε = 1e-5; 1e-12 is BERT's.",
        LESSON, PART, eps=1e-12,
    ),
    switch(
        "ln_eps_value", "Layer norm's ε is not 1e-5",
        "ε has another value than GPT-2's 1e-5.",
        LESSON, PART,
        *({"eps": eps} for eps in (1e-8, 1e-3, 1e-4, 1e-7, 1e-9, 5e-6, 1e-2, 1e-1)),
    ),
    switch(
        "ln_eps_squared", "Layer norm adds ε twice or squared",
        "Something other than ε itself is added to the variance: it must be √(σ² + ε).",
        LESSON, PART,
        {"deviation": lambda m, variance: np.sqrt(variance + m.eps**2)},
        {"deviation": lambda m, variance: np.sqrt(variance + 2 * m.eps)},
        {"deviation": lambda m, variance: np.sqrt(variance + m.eps) + m.eps},
    ),
    switch(
        "ln_eps_clipped", "Layer norm clips the deviation at ε instead of adding ε",
        "You use max(σ, ε) or max(σ², ε). GPT-2 adds: √(σ² + ε).",
        LESSON, PART,
        {"deviation": lambda m, variance: np.maximum(np.sqrt(variance), m.eps)},
        {"deviation": lambda m, variance: np.sqrt(np.maximum(variance, m.eps))},
    ),
    switch(
        "ln_not_centred", "Layer norm does not subtract the mean (RMSNorm)",
        "Only the scale is normalised. Subtract the mean of the features first, and take the "
        "variance around it.",
        LESSON, PART,
        *_everywhere(
            {"normalise": lambda m, x: x / m.deviation((x**2).mean(axis=-1, keepdims=True))}),
    ),
    switch(
        "ln_mean_square", "Layer norm divides by the root mean square, not the deviation",
        "The mean is subtracted above, but the divisor is computed without it: "
        "the variance is the mean of (x − μ)².",
        LESSON, PART,
        *_everywhere({"variance": lambda m, x, mean: (x**2).mean(axis=-1, keepdims=True)}),
    ),
    switch(
        "ln_mean_not_subtracted", "Layer norm does not subtract the mean in the numerator",
        "The variance is right, but x is not centred: the numerator must be x − μ, not x.",
        LESSON, PART,
        *_everywhere({"centre": lambda m, x, mean: x}),
    ),
    switch(
        "ln_no_root", "Layer norm divides by the variance, without the square root",
        "The divisor is √(σ² + ε), a standard deviation, not σ² + ε.",
        LESSON, PART,
        *_everywhere({"deviation": lambda m, variance: variance + m.eps},
                     {"deviation": lambda m, variance: variance}),
    ),
    switch(
        "ln_only_centred", "Layer norm subtracts the mean but does not divide",
        "Divide by √(σ² + ε) after subtracting the mean.",
        LESSON, PART,
        *_everywhere({"deviation": lambda m, variance: np.ones_like(variance)}),
    ),
    switch(
        "ln_sum_of_squares", "Layer norm divides by the norm: the squares are summed, not averaged",
        "The variance is a mean over the d features; you take the sum.",
        LESSON, PART,
        *_everywhere(
            {"variance": lambda m, x, mean: ((x - mean) ** 2).sum(axis=-1, keepdims=True)}),
    ),
    switch(
        "ln_absolute_deviation", "Layer norm uses the mean absolute deviation",
        "The variance is the mean of the squared deviations, not of their sizes.",
        LESSON, PART,
        {"deviation": lambda m, v: v + m.eps,
         "variance": lambda m, x, mean: np.abs(x - mean).mean(axis=-1, keepdims=True)},
        {"variance": lambda m, x, mean: np.abs(x - mean).mean(axis=-1, keepdims=True)},
    ),
    switch(
        "ln_no_gain", "Layer norm's gain γ is missing",
        "The normalised vector is not multiplied by the learned gain (ln1_g, ln2_g, lnf_g).",
        LESSON, PART, affine=lambda m, n, g, b: n + b,
    ),
    switch(
        "ln_no_bias", "Layer norm's bias β is missing",
        "The learned bias (ln1_b, ln2_b, lnf_b) is not added.",
        LESSON, PART, affine=lambda m, n, g, b: g * n,
    ),
    switch(
        "ln_no_affine", "Layer norm has neither gain nor bias",
        "After normalising, multiply by the learned gain and add the learned bias.",
        LESSON, PART, affine=lambda m, n, g, b: n,
    ),
    switch(
        "ln_gain_bias_swapped", "Layer norm's gain and bias are swapped",
        "The normalised vector is multiplied by the bias and the gain is added. Look at the order "
        "of your arguments.",
        LESSON, PART, affine=lambda m, n, g, b: b * n + g,
    ),
    switch(
        "ln_bias_inside_gain", "Layer norm adds the bias before it multiplies by the gain",
        "You compute γ(n + β); it is γ·n + β.",
        LESSON, PART, *_everywhere({"affine": lambda m, n, g, b: g * (n + b)}),
    ),
    switch(
        "ln_gain_plus_one", "Layer norm multiplies by 1 + γ",
        "That is how some later models store their gain (Gemma). GPT-2 multiplies by γ itself.",
        LESSON, PART, *_everywhere({"affine": lambda m, n, g, b: (1 + g) * n + b}),
    ),
    switch(
        "ln_affine_first", "Layer norm applies gain and bias before it normalises",
        "Normalise x first; the gain and the bias come after.",
        LESSON, PART, layer_norm=lambda m, x, g, b: m.normalise(g * x + b),
    ),
    switch(
        "ln_axis_positions", "Layer norm runs over the positions, not over the features",
        "Mean and variance are taken along the wrong axis. Each vector is normalised over its own "
        "d features: axis=-1, keepdims=True. This also leaks the future.",
        LESSON, PART,
        *_everywhere({"mean": lambda m, x: x.mean(axis=-2, keepdims=True),
                      "variance": lambda m, x, mean: ((x - mean) ** 2).mean(
                          axis=-2, keepdims=True)}),
    ),
    switch(
        "ln_axis_batch", "Layer norm runs over the batch (batch norm)",
        "Mean and variance are taken along axis 0. Each vector is normalised over its own d "
        "features: axis=-1, keepdims=True.",
        LESSON, PART,
        *_everywhere(_over(0)),
        {"mean": lambda m, x: x.reshape(-1, x.shape[-1]).mean(axis=0),
         "variance": lambda m, x, mean: x.reshape(-1, x.shape[-1]).var(axis=0)},
        {"mean": lambda m, x: x.mean(axis=(0, 1), keepdims=True),
         "variance": lambda m, x, mean: ((x - mean) ** 2).mean(axis=(0, 1), keepdims=True)},
    ),
    switch(
        "ln_axis_all", "Layer norm mixes positions: one mean for several vectors",
        "Mean and variance are taken over positions and features together. Each vector is "
        "normalised over its own d features: axis=-1, keepdims=True.",
        LESSON, PART,
        *_everywhere(_over(-2, -1)), *_everywhere(_over(-3, -2, -1)), _over(0, -1),
    ),
    switch(
        "ln_twice", "Layer norm is applied twice",
        "The normalised vector, gain and bias included, is normalised a second time.",
        LESSON, PART,
        layer_norm=lambda m, x, g, b: m.affine(m.normalise(m.affine(m.normalise(x), g, b)), g, b),
    ),
    switch(
        "ln1_ln2_swapped", "ln1 and ln2 are swapped",
        "The attention reads through ln1, the MLP through ln2.",
        LESSON, PART,
        norm1=lambda m, block, x: m.layer_norm(x, block["ln2_g"], block["ln2_b"]),
        norm2=lambda m, block, x: m.layer_norm(x, block["ln1_g"], block["ln1_b"]),
    ),
    switch(
        "ln1_for_both", "ln1 is used before the MLP as well",
        "The MLP has a layer norm of its own: ln2_g and ln2_b.",
        LESSON, PART,
        norm2=lambda m, block, x: m.layer_norm(x, block["ln1_g"], block["ln1_b"]),
    ),
    switch(
        "ln2_for_both", "ln2 is used before the attention as well",
        "The attention has a layer norm of its own: ln1_g and ln1_b.",
        LESSON, PART,
        norm1=lambda m, block, x: m.layer_norm(x, block["ln2_g"], block["ln2_b"]),
    ),
    switch(
        "ln1_no_affine", "ln1's gain or bias is not applied",
        "The layer norm before the attention must apply ln1_g and ln1_b.",
        LESSON, PART,
        {"norm1": lambda m, block, x: m.normalise(x)},
        {"norm1": lambda m, block, x: m.normalise(x) * block["ln1_g"]},
        {"norm1": lambda m, block, x: m.normalise(x) + block["ln1_b"]},
    ),
    switch(
        "ln2_no_affine", "ln2's gain or bias is not applied",
        "The layer norm before the MLP must apply ln2_g and ln2_b.",
        LESSON, PART,
        {"norm2": lambda m, block, x: m.normalise(x)},
        {"norm2": lambda m, block, x: m.normalise(x) * block["ln2_g"]},
        {"norm2": lambda m, block, x: m.normalise(x) + block["ln2_b"]},
    ),
    switch(
        "lnf_no_affine", "The final layer norm's gain or bias is not applied",
        "The last layer norm must apply lnf_g and lnf_b.",
        LESSON, PART,
        {"norm_final": lambda m, x: m.normalise(x)},
        {"norm_final": lambda m, x: m.normalise(x) * m.P["lnf_g"]},
        {"norm_final": lambda m, x: m.normalise(x) + m.P["lnf_b"]},
    ),
    switch(
        "no_ln1", "The layer norm before the attention is missing",
        "The attention must read a normalised copy of x: x + attention(LN1(x)).",
        LESSON, PART, norm1=lambda m, block, x: x,
    ),
    switch(
        "no_ln2", "The layer norm before the MLP is missing",
        "The MLP must read a normalised copy of x: x + MLP(LN2(x)).",
        LESSON, PART, norm2=lambda m, block, x: x,
    ),
    switch(
        "no_block_norms", "Both layer norms of the blocks are missing",
        "Each sublayer must read a normalised copy of x, through ln1 and ln2.",
        LESSON, PART, norm1=lambda m, block, x: x, norm2=lambda m, block, x: x,
    ),
    switch(
        "no_final_norm", "The final layer norm is missing",
        "After the last block comes one more layer norm, lnf, before the head.",
        LESSON, PART, norm_final=lambda m, x: x,
    ),
    switch(
        "final_norm_of_block", "The final layer norm uses the parameters of a block's norm",
        "The layer norm after the last block has its own gain and bias: lnf_g and lnf_b.",
        LESSON, PART,
        {"norm_final": lambda m, x: m.norm2(m.P["blocks"][-1], x)},
        {"norm_final": lambda m, x: m.norm1(m.P["blocks"][-1], x)},
        {"norm_final": lambda m, x: m.norm1(m.P["blocks"][0], x)},
        {"norm_final": lambda m, x: m.norm2(m.P["blocks"][0], x)},
    ),
    switch(
        "norm_twice", "One of the layer norms is applied twice",
        "The final layer norm, and those of the blocks, are applied once each.",
        LESSON, PART,
        {"norm_final": lambda m, x: GPT2.norm_final(m, GPT2.norm_final(m, x))},
        {"norm1": lambda m, b, x: GPT2.norm1(m, b, GPT2.norm1(m, b, x))},
        {"norm2": lambda m, b, x: GPT2.norm2(m, b, GPT2.norm2(m, b, x))},
        {"norm_final": lambda m, x: GPT2.norm_final(m, m.normalise(x))},
        {"norm2": lambda m, b, x: GPT2.norm2(m, b, GPT2.norm1(m, b, x))},
    ),
    switch(
        "one_norm_swapped", "Gain and bias of one layer norm are swapped",
        "…_g is the gain that multiplies, …_b the bias that is added. Look at the order of your "
        "arguments.",
        LESSON, PART,
        {"norm_final": lambda m, x: m.layer_norm(x, m.P["lnf_b"], m.P["lnf_g"])},
        {"norm1": lambda m, b, x: m.layer_norm(x, b["ln1_b"], b["ln1_g"])},
        {"norm2": lambda m, b, x: m.layer_norm(x, b["ln2_b"], b["ln2_g"])},
        {"norm1": lambda m, b, x: m.layer_norm(x, b["ln1_b"], b["ln1_g"]),
         "norm2": lambda m, b, x: m.layer_norm(x, b["ln2_b"], b["ln2_g"])},
    ),
    switch(
        "ln_double_root", "Layer norm takes the square root twice",
        "std is the root of the variance already: the divisor is √(var + ε), not √(std + ε).",
        LESSON, PART,
        {"deviation": lambda m, variance: np.sqrt(np.sqrt(variance) + m.eps)},
        {"deviation": lambda m, variance: np.sqrt(np.sqrt(variance + m.eps))},
    ),
    switch(
        "ln_wrong_variance", "Layer norm's variance is no variance",
        "The variance is the mean of (x − μ)², which is also the mean of x² minus μ².",
        LESSON, PART,
        {"variance": lambda m, x, mean: (x**2).mean(axis=-1, keepdims=True) - mean},
        {"variance": lambda m, x, mean: ((x - mean) ** 2).max(axis=-1, keepdims=True)},
        {"variance": lambda m, x, mean: np.abs((x - mean).mean(axis=-1, keepdims=True))},
        {"variance": lambda m, x, mean: x.std(axis=-1, keepdims=True) ** 4},
        {"variance": lambda m, x, mean: (np.ptp(x, axis=-1, keepdims=True)) ** 2},
    ),
    switch(
        "one_norm_eps", "One of the layer norms has another ε (eps) than 1e-5",
        "All layer norms of GPT-2, the final one too, use ε = 1e-5.",
        LESSON, PART, *(_one_eps(place, eps) for eps in (1e-6, 1e-12, 1e-8, 1e-3, 0.0)
                        for place in ("norm_final", "norm1", "norm2")),
    ),
    switch(
        "ln1_ln2_mixed", "Gain of one layer norm, bias of another",
        "ln1_g goes with ln1_b, ln2_g with ln2_b, lnf_g with lnf_b.",
        LESSON, PART,
        {"norm2": lambda m, b, x: m.layer_norm(x, b["ln2_g"], b["ln1_b"])},
        {"norm2": lambda m, b, x: m.layer_norm(x, b["ln1_g"], b["ln2_b"])},
        {"norm1": lambda m, b, x: m.layer_norm(x, b["ln1_g"], b["ln2_b"])},
        {"norm1": lambda m, b, x: m.layer_norm(x, b["ln2_g"], b["ln1_b"])},
    ),
    switch(
        "ln_axes_differ", "Layer norm takes mean and variance along different axes",
        "Both are taken over the d features of each vector: axis=-1, keepdims=True.",
        LESSON, PART,
        {"variance": lambda m, x, mean: x.var(keepdims=True)},
        {"mean": lambda m, x: x.mean(keepdims=True)},
        {"variance": lambda m, x, mean: x.var(axis=-2, keepdims=True)},
        {"mean": lambda m, x: x.mean(axis=-2, keepdims=True)},
        {"mean": lambda m, x: x.mean(axis=0, keepdims=True)},
        {"mean": lambda m, x: x.mean(keepdims=True),
         "variance": lambda m, x, mean: x.var(axis=-1, keepdims=True)},
    ),
)  # fmt: skip
