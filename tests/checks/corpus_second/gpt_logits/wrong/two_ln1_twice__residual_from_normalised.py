# mistake: the MLP's layer norm uses ln1's gain and bias; and the normalised input is carried on as the residual
# accept: ln1 & ln2; ln2 & first; ln1_g; same LayerNorm; same gain; wrong LayerNorm; ln1 is used; ln1 & MLP
# accept: residual & normalis; residual & LayerNorm; stream & normalis; skip & normalis; normalised & added; shortcut & normalis; normalised & carried
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SQRT_2_OVER_PI: float = float(np.sqrt(2.0 / np.pi))
EPS: float = 1e-5


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    """Normalise the last axis."""
    mean: Array = x.mean(axis=-1, keepdims=True)
    centred: Array = x - mean
    variance: Array = np.square(centred).mean(axis=-1, keepdims=True)
    normalised: Array = centred / np.sqrt(variance + EPS)
    return normalised * gain + bias


def gelu(x: Array) -> Array:
    cubic: Array = x + 0.044715 * np.power(x, 3)
    return x * 0.5 * (1.0 + np.tanh(SQRT_2_OVER_PI * cubic))


def split_heads(x: Array, n_head: int) -> Array:
    """(B, T, d) -> (B, h, T, d_k)"""
    batch, time, width = x.shape
    head_dim: int = width // n_head
    return x.reshape(batch, time, n_head, head_dim).transpose(0, 2, 1, 3)


def merge_heads(x: Array) -> Array:
    """(B, h, T, d_k) -> (B, T, d)"""
    batch, heads, time, head_dim = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, time, heads * head_dim)


def attention_probs(query: Array, key: Array) -> Array:
    time: int = query.shape[-2]
    head_dim: int = query.shape[-1]
    logits: Array = np.matmul(query, key.transpose(0, 1, 3, 2))
    logits = logits / np.sqrt(head_dim)
    future: NDArray[np.bool_] = np.triu(np.ones((time, time), dtype=bool), k=1)
    logits = np.where(future, -np.inf, logits)
    logits = logits - logits.max(axis=-1, keepdims=True)
    weights: Array = np.exp(logits)
    return weights / weights.sum(axis=-1, keepdims=True)


def attention(x: Array, block: dict[str, Array], n_head: int) -> Array:
    qkv: Array = x @ block["w_qkv"] + block["b_qkv"]
    width: int = x.shape[-1]
    query: Array = split_heads(qkv[..., :width], n_head)
    key: Array = split_heads(qkv[..., width : 2 * width], n_head)
    value: Array = split_heads(qkv[..., 2 * width :], n_head)
    mixed: Array = np.matmul(attention_probs(query, key), value)
    return merge_heads(mixed) @ block["w_o"] + block["b_o"]


def mlp(x: Array, block: dict[str, Array]) -> Array:
    hidden: Array = gelu(x @ block["w_fc"] + block["b_fc"])
    return hidden @ block["w_proj"] + block["b_proj"]


def block_forward(x: Array, block: dict[str, Array], n_head: int) -> Array:
    attn_in: Array = layer_norm(x, block["ln1_g"], block["ln1_b"])
    x = attn_in + attention(attn_in, block, n_head)
    mlp_in: Array = layer_norm(x, block["ln1_g"], block["ln1_b"])
    x = mlp_in + mlp(mlp_in, block)
    return x


def gpt_logits(P: dict[str, Any], idx: NDArray[np.int64], n_head: int) -> Array:
    """Token ids (B, T) to logits (B, T, V)."""
    time: int = idx.shape[1]
    tokens: Array = P["wte"][idx]
    positions: Array = P["wpe"][:time]
    x: Array = tokens + positions
    for block in P["blocks"]:
        x = block_forward(x, block, n_head)
    x = layer_norm(x, P["lnf_g"], P["lnf_b"])
    return x @ P["wte"].T
