"""GPT-2 in NumPy, one small function for each box of the diagram.

    idx                     (B, T)      token ids, 0 <= id < V
      | embed               token row + position row
    x                       (B, T, d)   the residual stream
      | L times: transformer_block
      |     x = x + causal_self_attention(layer_norm(x))
      |     x = x + mlp(layer_norm(x))
      | lm_head             final layer norm, then the token table once more
    logits                  (B, T, V)   row t scores every token as the next, t + 1

Start with `gpt_logits`, which is the diagram. The parameters are one dict P, described in
`gpt_parameters.py`; weights are stored (input, output), as in OpenAI's released checkpoints.

Source: Radford et al. (2019), section 2.3, and the code released with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from course_lib.gpt_parameters import Block, Params, require_finite, require_parameters
from course_lib.layers import (
    Array,
    causal_attention,
    gelu,
    layer_norm,
    log_softmax,
    merge_heads,
    split_heads,
)
from course_lib.validation import (
    require_array,
    require_heads,
    require_ids,
)


@np.errstate(over="ignore", invalid="ignore")  # require_finite says it better than a warning
def gpt_logits(P: Params, idx: ArrayLike, n_head: int) -> Array:
    """Return the scores of every possible next token at every position.

    Args:
        P: the parameters of GPT-2 (see `parameter_shapes`), all float64 or all float32.
        idx: token ids of shape (B, T), integers in [0, V), T at most the rows of P["wpe"].
        n_head: the number of attention heads h; it must divide d.

    Returns:
        The logits (B, T, V), in the dtype of the parameters.

    Raises:
        KeyError: a parameter is missing.
        TypeError: ids that are no integers, parameters that are no floats of one dtype.
        ValueError: a shape, an id, a length or a head count that does not fit, a parameter too
            many, a NaN or an infinity.
    """
    V, T_max, d = require_parameters(P)
    h = require_heads(d, n_head)
    ids = require_ids("idx", idx, vocabulary=V, ndim=2, max_T=T_max)

    x = embed(P, ids)  # (B, T, d)
    for block in P["blocks"]:
        x = transformer_block(block, x, h)  # (B, T, d)
    logits = lm_head(P, x)  # (B, T, V)
    require_finite(P, logits)
    return logits


def embed(P: Params, ids: Array) -> Array:
    """Look up each token's row and add the row of its position: (B, T) -> (B, T, d)."""
    x: Array = P["wte"][ids]
    x += P["wpe"][: ids.shape[-1]]
    return x


def transformer_block(block: Block, x: Array, n_head: int) -> Array:
    """Let each sublayer read a normalised copy of x and add its answer to x itself (pre-LN)."""
    x = x + causal_self_attention(block, layer_norm(x, block["ln1_g"], block["ln1_b"]), n_head)
    x = x + mlp(block, layer_norm(x, block["ln2_g"], block["ln2_b"]))
    return x  # noqa: RET504 - the two updates read alike


def causal_self_attention(block: Block, x: Array, n_head: int) -> Array:
    """Let every position read from itself and from those before it: (B, T, d) -> (B, T, d)."""
    qkv = x @ block["w_qkv"] + block["b_qkv"]  # (B, T, 3d)
    q, k, v = (split_heads(part, n_head) for part in np.split(qkv, 3, axis=-1))  # (B, h, T, d_k)
    heads = causal_attention(q, k, v)  # (B, h, T, d_k)
    return merge_heads(heads) @ block["w_o"] + block["b_o"]  # (B, T, d)


def mlp(block: Block, x: Array) -> Array:
    """Work on each position by itself, through four times the width: (B, T, d) -> (B, T, d)."""
    hidden = gelu(x @ block["w_fc"] + block["b_fc"])  # (B, T, 4d)
    return hidden @ block["w_proj"] + block["b_proj"]  # (B, T, d)


def lm_head(P: Params, x: Array) -> Array:
    """Score each token by its match with the final vector: (B, T, d) -> (B, T, V).

    The head is tied: it is the token table itself, transposed.
    """
    logits: Array = layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
    return logits


def next_token_loss(logits: ArrayLike, targets: ArrayLike) -> float:
    """Return the mean cross-entropy in nats, -log p(target), over all positions.

    Args:
        logits: scores of shape (B, T, V).
        targets: the token that did come next, (B, T), integers in [0, V).

    Raises:
        TypeError, ValueError: as in `gpt_logits`.
    """
    z = require_array("logits", logits, ("B", "T", "V"))
    y = require_ids("targets", targets, vocabulary=z.shape[-1], ndim=2, max_T=None)
    if y.shape != z.shape[:2]:
        raise ValueError(f"targets must have shape {z.shape[:2]} as the logits, got {y.shape}")
    log_p = log_softmax(z.astype(np.float64))  # (B, T, V)
    return float(-np.take_along_axis(log_p, y[..., None], axis=-1).mean())
