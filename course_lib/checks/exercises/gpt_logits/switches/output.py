"""Mistakes in the head, in what is returned, and in the dtype. How to add one: __init__.py."""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.inputs import as_type
from course_lib.checks.exercises.gpt_logits.reference import GPT2
from course_lib.checks.side_by_side import Pieces

LESSON = "01_forward_pass, the head"
PART = "embed"
Array = Any  # NDArray; a wrong variant may return anything


def _probabilities(z: Array) -> Array:
    return np.exp(z - z.max(axis=-1, keepdims=True)) / np.exp(
        z - z.max(axis=-1, keepdims=True)
    ).sum(axis=-1, keepdims=True)


def _in_float32(m: GPT2, P: dict[str, Any], idx: Array, n_head: int) -> Any:
    return GPT2.answer(m, as_type(P, np.float32), idx, n_head)


def _in_float32_and_back(m: GPT2, P: dict[str, Any], idx: Array, n_head: int) -> Any:
    return GPT2.answer(m, as_type(P, np.float32), idx, n_head).astype(np.float64)


def _narrowed(dtype: Any) -> list[Pieces]:
    """Round in one place: layer norm, weights of the attention, values, scores, GELU, the MLP."""

    def narrow(method: str) -> Pieces:
        right = getattr(GPT2, method)
        return {method: lambda m, *args: right(m, *args).astype(dtype).astype(np.float64)}

    methods = ("normalise", "softmax", "scores", "merge_heads", "gelu", "mlp_in", "qkv", "project",
               "mlp_out", "head", "position_rows", "token_rows", "embed",
               "transformer_block", "residual", "norm1", "norm2", "norm_final")  # fmt: skip
    wide = dtype is not np.float16  # large scores overflow there
    return [narrow(method) for method in methods if wide or method != "scores"]


SWITCHES = (
    switch(
        "head_positions", "The head uses the position table",
        "The head is the token table once more: x @ wte.T.",
        LESSON, PART, head=lambda m, x: x @ m.P["wpe"].T,
    ),
    switch(
        "head_with_positions", "Position rows take part in the head",
        "The head is the token table alone, x @ wte.T: wpe is added to the embedding and to "
        "nothing else.",
        LESSON, PART,
        {"head": lambda m, x: x @ (m.P["wte"] + m.P["wpe"].mean(axis=0)).T},
        {"head": lambda m, x: x @ (m.P["wte"] + m.P["wpe"][0]).T},
        {"head": lambda m, x: (x + m.P["wpe"][: m.T]) @ m.P["wte"].T},
        {"head": lambda m, x: (x - m.P["wpe"][: m.T]) @ m.P["wte"].T},
        {"head": lambda m, x: x @ (m.P["wte"] + m.P["wpe"].sum(axis=0)).T},
        {"head": lambda m, x: x @ (m.P["wte"] + m.P["wpe"][
            np.arange(m.V) % len(m.P["wpe"])]).T},
        {"head": lambda m, x: x @ (m.P["wte"] + m.P["wpe"][
            np.minimum(np.arange(m.V), len(m.P["wpe"]) - 1)]).T},
    ),
    switch(
        "head_missing", "The head is missing: the final vectors are returned",
        "Multiply by the token table, x @ wte.T, to get one score for each token: (B, T, V).",
        LESSON, PART, head=lambda m, x: x,
    ),
    switch(
        "head_scaled", "The logits are scaled: by √d or by a temperature",
        "GPT-2's logits are x @ wte.T, with no factor.",
        LESSON, PART,
        {"head": lambda m, x: x @ m.P["wte"].T / np.sqrt(m.d)},
        {"head": lambda m, x: x @ m.P["wte"].T * np.sqrt(m.d)},
        {"head": lambda m, x: x @ m.P["wte"].T / m.d},
        *({"head": lambda m, x, c=c: x @ m.P["wte"].T / c} for c in (0.7, 0.8, 0.5, 2, 10)),
    ),
    switch(
        "head_reshaped", "The token table is reshaped to (d, V) instead of transposed",
        "A reshape keeps the numbers in their order; the head needs the transpose: wte.T.",
        LESSON, PART, head=lambda m, x: x @ m.P["wte"].reshape(m.d, m.V),
    ),
    switch(
        "head_normalised", "The head normalises the token table",
        "The logits are plain dot products with the rows of wte.",
        LESSON, PART,
        {"head": lambda m, x: x @ (m.P["wte"] / np.linalg.norm(m.P["wte"], axis=1)[:, None]).T},
        {"head": lambda m, x: x @ (m.P["wte"] - m.P["wte"].mean(axis=0)).T},
        {"head": lambda m, x: x @ m.normalise(m.P["wte"]).T},
    ),
    switch(
        "head_before_norm", "The final layer norm comes before a residual or after the head",
        "The order at the top is: last block, lnf, head.",
        LESSON, PART,
        {"norm_final": lambda m, x: x + m.layer_norm(x, m.P["lnf_g"], m.P["lnf_b"])},
        {"norm_final": lambda m, x: x, "head": lambda m, x: m.normalise(x @ m.P["wte"].T)},
    ),
    switch(
        "returns_probabilities", "Probabilities are returned, not logits",
        "Return the scores themselves; the softmax comes later, in the loss or in sampling.",
        LESSON, PART,
        {"result": lambda m, z: _probabilities(z)},
        {"result": lambda m, z: _probabilities(z.swapaxes(1, 2)).swapaxes(1, 2)},
        {"result": lambda m, z: 1 / (1 + np.exp(-z))},
    ),
    switch(
        "returns_log_probabilities", "Log-probabilities are returned, not logits",
        "Return the scores themselves, without a log-softmax.",
        LESSON, PART,
        {"result": lambda m, z: np.log(_probabilities(z))},
        {"result": lambda m, z: z - z.max(axis=-1, keepdims=True)},
    ),
    switch(
        "returns_last_position", "Only the last position is returned",
        "Every position predicts its next token: return all of (B, T, V).",
        LESSON, PART,
        {"result": lambda m, z: z[:, -1]}, {"result": lambda m, z: z[:, -1:]},
        {"result": lambda m, z: z[:, 0]},
    ),
    switch(
        "returns_one_sequence", "Only one sequence of the batch is returned",
        "Keep the batch axis: the shape is (B, T, V).",
        LESSON, PART, {"result": lambda m, z: z[0]}, {"result": lambda m, z: z[:1]},
        {"result": lambda m, z: z[-1]},
    ),
    switch(
        "returns_transposed", "The axes of the logits are in the wrong order",
        "The shape is (B, T, V): batch, position, token.",
        LESSON, PART,
        {"result": lambda m, z: z.swapaxes(1, 2)}, {"result": lambda m, z: z.swapaxes(0, 1)},
        {"result": lambda m, z: z.transpose(2, 0, 1)}, {"result": lambda m, z: z.T},
    ),
    switch(
        "returns_flat", "The batch and position axes are joined",
        "Keep them apart: the shape is (B, T, V).",
        LESSON, PART,
        {"result": lambda m, z: z.reshape(-1, m.V)}, {"result": lambda m, z: z.ravel()},
    ),
    switch(
        "returns_squeezed", "Axes of size 1 are removed from the result",
        "With one sequence the shape is still (1, T, V): no squeeze.",
        LESSON, PART,
        {"result": lambda m, z: z.squeeze()},
        {"result": lambda m, z: z[0] if m.B == 1 else z},
        {"result": lambda m, z: z[:, 0] if m.T == 1 else z},
    ),
    switch(
        "returns_ids", "The best token is returned, not the scores",
        "Return the logits of all V tokens, (B, T, V).",
        LESSON, PART, {"result": lambda m, z: z.argmax(axis=-1)},
        {"result": lambda m, z: z.max(axis=-1)},
    ),
    switch(
        "returns_mean", "The scores are averaged over positions",
        "Every position has scores of its own: (B, T, V).",
        LESSON, PART, {"result": lambda m, z: z.mean(axis=1)},
        {"result": lambda m, z: z.mean(axis=0)},
    ),
    switch(
        "returns_without_first", "The last or first position is cut off",
        "Return a row for every position: (B, T, V). Shifting belongs to the loss.",
        LESSON, PART,
        {"result": lambda m, z: z[:, :-1]}, {"result": lambda m, z: z[:, 1:]},
        {"result": lambda m, z: np.roll(z, 1, axis=1)},
        {"result": lambda m, z: np.roll(z, -1, axis=1)},
    ),
    switch(
        "returns_rounded", "The logits are rounded",
        "Return them as they are; the comparison allows for rounding errors, not for rounding.",
        LESSON, PART,
        *({"result": lambda m, z, n=n: z.round(n)} for n in (2, 3, 4, 5, 6, 7, 8)),
        tolerance=1e-9,
    ),
    switch(
        "float32", "float32 is used somewhere although the parameters are float64",
        "About seven digits are right, then rounding shows. Look for dtype=np.float32 or .astype; "
        "float64 in means float64 out.",
        LESSON, PART,
        {"answer": _in_float32}, {"answer": _in_float32_and_back},
        {"result": lambda m, z: z.astype(np.float32)},
        {"result": lambda m, z: z.astype(np.float32).astype(np.float64)},
        {"embed": lambda m, idx: GPT2.embed(m, idx).astype(np.float32)},
        {"mask": lambda m, s: GPT2.mask(m, s).astype(np.float32)},
        *_narrowed(np.float32),
        tolerance=1e-5,
    ),
    switch(
        "float16", "float16 is used somewhere although the parameters are float64",
        "About three digits are right, then rounding shows. Look for dtype=np.float16 or .astype.",
        LESSON, PART,
        {"result": lambda m, z: z.astype(np.float16)},
        {"result": lambda m, z: z.astype(np.float16).astype(np.float64)},
        {"embed": lambda m, idx: GPT2.embed(m, idx).astype(np.float16)},
        *_narrowed(np.float16),
        tolerance=4e-3, alone=True,
    ),
    switch(
        "integers", "The embedding or the result is stored as integers",
        "Something is cut to whole numbers: look for dtype=int or np.zeros_like(idx).",
        LESSON, PART,
        {"embed": lambda m, idx: GPT2.embed(m, idx).astype(int)},
        {"result": lambda m, z: z.astype(int)},
    ),
    switch(
        "returns_reversed", "The result is returned in reversed order",
        "Row t of the result belongs to position t, and row b to sequence b.",
        LESSON, PART,
        {"result": lambda m, z: z[:, ::-1]}, {"result": lambda m, z: z[::-1]},
        {"result": lambda m, z: z[..., ::-1]},
    ),
    switch(
        "returns_mixed", "The result is reshaped into the wrong order",
        "reshape keeps the numbers in their order; to swap axes use transpose or swapaxes.",
        LESSON, PART,
        {"result": lambda m, z: z.swapaxes(1, 2).reshape(m.B, m.T, m.V)},
        {"result": lambda m, z: z.swapaxes(0, 1).reshape(m.B, m.T, m.V)},
    ),
)  # fmt: skip
