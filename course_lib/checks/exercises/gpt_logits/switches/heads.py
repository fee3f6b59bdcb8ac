"""Mistakes from the fused projection to the output projection. How to add one: __init__.py."""

from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2, Block

LESSON = "01_forward_pass, splitting into heads"
PART = "heads"
Array = Any  # NDArray; a wrong variant may return anything


def _order(order: str) -> dict[str, Any]:
    places = [order.index(name) for name in "qkv"]
    return {"split_qkv": lambda m, qkv: [np.split(qkv, 3, axis=-1)[i] for i in places]}


def _heads_first(m: GPT2, block: Block, x: Array) -> Any:
    d_k = m.d // m.h
    cut = m.qkv(block, x).reshape(m.B, m.T, m.h, 3, d_k).transpose(3, 0, 2, 1, 4)
    return cut[0], cut[1], cut[2]


def _interleaved(m: GPT2, qkv: Array) -> Any:
    return [qkv[..., i::3] for i in range(3)]


def _square_transposed(which: str) -> dict[str, Any]:
    def qkv(m: GPT2, block: Block, x: Array) -> Array:
        parts = zip("qkv", np.split(block["w_qkv"], 3, axis=1), strict=True)
        w = np.concatenate([part.T if name in which else part for name, part in parts], axis=1)
        return x @ w + block["b_qkv"]

    return {"qkv": qkv}


def _unmoved(m: GPT2, x: Array) -> Array:
    return x.reshape(m.B, m.T, m.h, m.d // m.h)


def _flat(m: GPT2, y: Array) -> Array:
    return y.reshape(m.B, m.T, m.d)


def _only(y: Array, head: int) -> Array:
    out = np.zeros_like(y)
    out[:, head] = y[:, head]
    return out


def _without(y: Array, head: int) -> Array:
    out = y.copy()
    out[:, head] = 0
    return out


def _weights_of(choose: Any) -> dict[str, Any]:
    """Let the attention weights that `choose` picks serve all heads."""
    return {"softmax": lambda m, s: np.broadcast_to(choose(GPT2.softmax(m, s)), s.shape)}


def _axes(order: str, biased: bool) -> dict[str, Any]:
    """Read the 3d columns as axes in another order than (c, h, k); the bias too, or as it is."""

    def cut(m: GPT2, z: Array, order: str) -> Array:
        sizes = {"c": 3, "h": m.h, "k": m.d // m.h}
        axes = z.reshape(*z.shape[:-1], *(sizes[name] for name in order))
        return np.moveaxis(axes, [order.index(name) - 3 for name in "chk"], [-3, -2, -1])

    def queries_keys_values(m: GPT2, block: Block, x: Array) -> Any:
        if biased:
            z = cut(m, m.qkv(block, x), order)  # (B, T, 3, h, d_k)
        else:
            z = cut(m, x @ block["w_qkv"], order) + cut(m, block["b_qkv"], "chk")
        return tuple(z[..., i, :, :].swapaxes(1, 2) for i in range(3))

    return {"queries_keys_values": queries_keys_values}


def _positions_cut(shape: str) -> dict[str, Any]:
    """Reshape (B, T, 3d) at once, without moving an axis."""

    def queries_keys_values(m: GPT2, block: Block, x: Array) -> Any:
        z, d_k = m.qkv(block, x), m.d // m.h
        if shape == "bh":
            return tuple(np.split(z.reshape(m.B, m.h, m.T, 3 * d_k), 3, axis=-1))
        if shape == "3b":
            return tuple(z.reshape(3, m.B, m.h, m.T, d_k))
        return tuple(z.reshape(m.B, 3, m.h, m.T, d_k).swapaxes(0, 1))

    return {"queries_keys_values": queries_keys_values}


def _matrices(read: Any) -> dict[str, Any]:
    """Use a w_qkv whose numbers were read in another order."""
    return {"qkv": lambda m, b, x: x @ read(m, b["w_qkv"], m.d // m.h) + b["b_qkv"]}


def _joined_columns(parts: Array) -> Array:
    """Join (…, d, n) matrices side by side."""
    return np.hstack(list(parts.reshape(-1, *parts.shape[-2:])))


def _biases(*kept: float) -> dict[str, Any]:
    def qkv(m: GPT2, block: Block, x: Array) -> Array:
        return x @ block["w_qkv"] + block["b_qkv"] * np.repeat(kept, m.d)

    return {"qkv": qkv}


def _split(x: Array, m: GPT2, way: str) -> Array:
    d_k = m.d // m.h
    if way == "reshaped":
        return x.reshape(m.B, m.h, m.T, d_k)
    if way == "strided":
        return x.reshape(m.B, m.T, d_k, m.h).transpose(0, 3, 1, 2)
    heads = GPT2.split_heads(m, x)
    return heads[:, ::-1] if way == "reversed" else heads


def _uneven(which: str, way: str) -> dict[str, Any]:
    """Cut some of q, k and v into heads another way than the rest."""

    def cut(m: GPT2, block: Block, x: Array) -> Any:
        parts = zip("qkv", m.split_qkv(m.qkv(block, x)), strict=True)
        return tuple(_split(z, m, way if name in which else "") for name, z in parts)

    return {"queries_keys_values": cut}


def _columns(order: str) -> dict[str, Any]:
    """Take the columns of w_qkv in another order than the entries of b_qkv."""

    def qkv(m: GPT2, block: Block, x: Array) -> Array:
        d_k, places = m.d // m.h, np.arange(3 * m.d)
        if order == "strided":
            places = places.reshape(3, d_k, m.h).swapaxes(1, 2)
        elif order == "interleaved":
            places = places.reshape(m.d, 3).T
        else:  # head by head
            places = places.reshape(m.h, 3, d_k).swapaxes(0, 1)
        return x @ block["w_qkv"][:, places.ravel()] + block["b_qkv"]

    return {"qkv": qkv}


def _bias_order(q: int, v: int) -> dict[str, Any]:
    def qkv(m: GPT2, block: Block, x: Array) -> Array:
        b = np.split(block["b_qkv"], 3)
        return x @ block["w_qkv"] + np.concatenate([b[q], b[1], b[v]])

    return {"qkv": qkv}


SWITCHES = (
    switch(
        "heads_reshaped_only", "Heads are cut by a reshape alone, without swapping axes",
        "reshape(B, h, T, d_k) runs and has the right shape, but mixes positions with features. "
        "Reshape to (B, T, h, d_k), then swap the axes of T and h.",
        LESSON, PART,
        {"split_heads": lambda m, x: x.reshape(m.B, m.h, m.T, m.d // m.h)},
        {"split_heads": lambda m, x: x.reshape(m.B, m.h, m.T, m.d // m.h),
         "merge_heads": lambda m, y: y.reshape(m.B, m.T, m.d)},
    ),
    switch(
        "heads_merged_without_swap", "Heads are merged without swapping the axes back",
        "After attention the shape is (B, h, T, d_k). Swap h and T back before you reshape to "
        "(B, T, d).",
        LESSON, PART, merge_heads=lambda m, y: y.reshape(m.B, m.T, m.d),
    ),
    switch(
        "heads_strided", "Heads take every h-th feature instead of neighbours",
        "Head i owns columns i·d_k to (i + 1)·d_k: reshape to (B, T, h, d_k), not (B, T, d_k, h).",
        LESSON, PART,
        {"split_heads": lambda m, x: x.reshape(m.B, m.T, -1, m.h).transpose(0, 3, 1, 2)},
        {"split_heads": lambda m, x: x.reshape(m.B, m.T, -1, m.h).transpose(0, 3, 1, 2),
         "merge_heads": lambda m, y: y.transpose(0, 2, 3, 1).reshape(m.B, m.T, m.d)},
    ),
    switch(
        "heads_merged_strided", "Heads are interleaved when they are merged",
        "The heads are joined one after the other: (B, T, h, d_k) → (B, T, d).",
        LESSON, PART,
        merge_heads=lambda m, y: y.transpose(0, 2, 3, 1).reshape(m.B, m.T, m.d),
    ),
    switch(
        "heads_merged_in_reverse", "Heads are merged in the wrong order",
        "Head 0 comes first, head h − 1 last.",
        LESSON, PART, merge_heads=lambda m, y: GPT2.merge_heads(m, y[:, ::-1]),
    ),
    switch(
        "heads_averaged", "Heads are averaged or summed instead of joined",
        "The outputs of the heads stand side by side, h · d_k = d features in all.",
        LESSON, PART,
        {"merge_heads": lambda m, y: np.tile(y.mean(axis=1), m.h)},
        {"merge_heads": lambda m, y: np.tile(y.sum(axis=1), m.h)},
    ),
    switch(
        "single_head", "n_head is ignored: there is one head of size d",
        "Queries, keys and values must be cut into n_head heads of d_k = d / n_head features.",
        LESSON, PART,
        split_heads=lambda m, x: x[:, None],
        merge_heads=lambda m, y: y[:, 0],
    ),
    switch(
        "single_head_scaled", "n_head only changes the scale: the heads are not split",
        "Dividing by √d_k is right, but each head must have scores of its own.",
        LESSON, PART,
        split_heads=lambda m, x: x[:, None],
        merge_heads=lambda m, y: y[:, 0],
        scale=lambda m, d_k: 1 / np.sqrt(m.d / m.h),
    ),
    switch(
        "head_count_as_size", "n_head is taken for the size of a head",
        "n_head is the number of heads h; the size of each is d_k = d / n_head.",
        LESSON, PART,
        split_heads=lambda m, x: x.reshape(m.B, m.T, -1, m.h).swapaxes(1, 2),
    ),
    switch(
        "qkv_cut_by_head", "The fused matrix is cut by head first, not into q, k and v",
        "The 3d columns are all of Q, then all of K, then all of V. You read [q k v] for each head "
        "in turn, which is how GPT-NeoX stores them.",
        LESSON, PART, queries_keys_values=_heads_first,
    ),
    switch(
        "qkv_axes_mixed", "The 3d columns are cut into the wrong order of axes",
        "The columns of w_qkv are (3, h, d_k): all of Q, then K, then V, and within each head 0 to "
        "head h − 1. Yours are read as another order of these three.",
        LESSON, PART,
        *(_axes(order, True) for order in ("kch", "khc")),
        *(_axes(order, False) for order in ("kch", "khc")),
    ),
    switch(
        "qkv_interleaved", "Q, K and V are read from every third column",
        "The 3d columns are all of Q, then all of K, then all of V: split into three equal runs.",
        LESSON, PART, split_qkv=_interleaved,
    ),
    switch(
        "qkv_reshaped", "Q, K and V are cut along the positions",
        "Split the last axis (3d) into three; do not reshape to (3, B, T, d).",
        LESSON, PART,
        {"split_qkv": lambda m, qkv: list(qkv.reshape(3, m.B, m.T, m.d))},
        {"split_qkv": lambda m, qkv: list(qkv.reshape(m.B, 3, m.T, m.d).swapaxes(0, 1))},
        *(_positions_cut(shape) for shape in ("bh", "3b", "b3")),
    ),
    switch(
        "qk_swapped", "Queries and keys are swapped",
        "The order in the fused matrix is Q, K, V, and the scores are Q Kᵀ: rows belong to the "
        "queries, columns to the keys. K Qᵀ does the same as swapping the two.",
        LESSON, PART, **_order("kqv"),
    ),
    switch(
        "kv_swapped", "Keys and values are swapped",
        "The order in the fused matrix is Q, K, V.",
        LESSON, PART, **_order("qvk"),
    ),
    switch(
        "qv_swapped", "Queries and values are swapped",
        "The order in the fused matrix is Q, K, V.",
        LESSON, PART, **_order("vkq"),
    ),
    switch(
        "qkv_rotated", "Queries, keys and values are read in the wrong order",
        "The order in the fused matrix is Q, K, V.",
        LESSON, PART, _order("kvq"), _order("vqk"),
    ),
    switch(
        "no_qkv_bias", "The bias b_qkv is missing",
        "The fused projection is x @ w_qkv + b_qkv.",
        LESSON, PART, qkv=lambda m, block, x: x @ block["w_qkv"],
    ),
    switch(
        "no_query_bias", "The bias of the queries is missing",
        "The first d entries of b_qkv are added to the queries.",
        LESSON, PART, _biases(0, 1, 1), _biases(0, 0, 1),
    ),
    switch(
        "no_value_bias", "The bias of the values is missing",
        "The last d entries of b_qkv are added to the values.",
        LESSON, PART, _biases(1, 1, 0), _biases(1, 0, 0),
    ),
    switch(
        "w_qkv_transposed", "The square parts of w_qkv are transposed",
        "Weights are stored (input, output): q = x @ W, not x @ W.T. With square matrices the "
        "transpose runs without an error.",
        LESSON, PART, *(_square_transposed(parts) for parts in ("qkv", "qk")),
    ),
    switch(
        "w_q_transposed", "One of W_Q, W_K and W_V is transposed",
        "Weights are stored (input, output): q = x @ W, not x @ W.T. The three parts of w_qkv are "
        "square, so the transpose runs without an error.",
        LESSON, PART, *(_square_transposed(parts) for parts in ("q", "k", "v", "qv", "kv")),
    ),
    switch(
        "w_qkv_reshaped", "w_qkv is reshaped where it should be split along its columns",
        "It is stored (input, output) = (d, 3d): the columns are Q, K and V. A reshape to (3d, d) "
        "or (3, d, d) has the right shape but mixes rows and columns.",
        LESSON, PART,
        {"qkv": lambda m, b, x: x @ b["w_qkv"].reshape(3 * m.d, m.d).T + b["b_qkv"]},
        {"qkv": lambda m, b, x: x @ b["w_qkv"].T.reshape(m.d, 3 * m.d) + b["b_qkv"]},
        {"qkv": lambda m, b, x: x @ np.hstack(b["w_qkv"].reshape(3, m.d, m.d)) + b["b_qkv"]},
        *(_matrices(read) for read in (
            lambda m, w, k: _joined_columns(w.reshape(3, m.h, m.d, k)),
            lambda m, w, k: _joined_columns(w.reshape(m.h, 3, m.d, k).swapaxes(0, 1)),
            lambda m, w, k: _joined_columns(
                np.stack(np.split(w.reshape(m.h, m.d, 3 * k), 3, axis=-1))),
            lambda m, w, k: w.ravel(order="F").reshape(w.shape),
        )),
    ),
    switch(
        "heads_not_moved", "The heads attend to each other: h is not moved in front of T",
        "Scores are taken over the axis of the heads, position by position. Swap the axes first: "
        "(B, T, h, d_k) → (B, h, T, d_k), so that the last two are positions and features.",
        LESSON, PART,
        {"split_heads": _unmoved, "merge_heads": _flat},
        {"split_heads": _unmoved, "merge_heads": _flat, "mask": lambda m, s: s},
        {"split_heads": _unmoved},
        {"split_heads": _unmoved, "mask": lambda m, s: s},
    ),
    switch(
        "heads_fixed", "The number of heads is fixed in the code: n_head is not used",
        "n_head is an argument, and d_k = d / n_head follows from it.",
        LESSON, PART,
        *({"answer": lambda m, P, i, h, n=n: GPT2.answer(m, P, i, n)}
          for n in (2, 3, 4, 12, 6)),
        {"answer": lambda m, P, i, h: GPT2.answer(m, P, i, 1 + (P["wte"].shape[1] % 2 == 0))},
    ),
    switch(
        "one_head_kept", "Only one head's output is kept",
        "All h outputs are joined. In a loop, append each head to a list; do not overwrite.",
        LESSON, PART,
        {"merge_heads": lambda m, y: np.tile(y[:, -1], m.h)},
        {"merge_heads": lambda m, y: np.tile(y[:, 0], m.h)},
        {"merge_heads": lambda m, y: GPT2.merge_heads(m, _only(y, -1))},
        {"merge_heads": lambda m, y: GPT2.merge_heads(m, _only(y, 0))},
    ),
    switch(
        "weights_shared", "One head's attention weights, its queries and keys, serve all heads",
        "Every head has scores of its own, from its own queries and keys. Look at the index of the "
        "head: here the first head's, the last head's, or their mean, serve all heads.",
        LESSON, PART,
        _weights_of(lambda w: w[:, :1]), _weights_of(lambda w: w[:, -1:]),
        _weights_of(lambda w: w.mean(axis=1, keepdims=True)),
        {"attend": lambda m, q, k, v: GPT2.attend(m, np.broadcast_to(q[:, :1], q.shape), k, v)},
        {"attend": lambda m, q, k, v: GPT2.attend(m, np.broadcast_to(q[:, -1:], q.shape), k, v)},
        {"scores": lambda m, q, k: np.broadcast_to(
            (s := GPT2.scores(m, q, k)).mean(axis=1, keepdims=True), s.shape)},
    ),
    switch(
        "head_left_out", "The first head or the last is left out: its features stay zero",
        "The loop runs over all heads, 0 to h − 1: range(n_head). Here head 0 (or the last head) "
        "is missing.",
        LESSON, PART,
        {"merge_heads": lambda m, y: GPT2.merge_heads(m, _without(y, 0))},
        {"merge_heads": lambda m, y: GPT2.merge_heads(m, _without(y, -1))},
        {"split_heads": lambda m, x: _without(GPT2.split_heads(m, x), 0)},
    ),
    switch(
        "heads_rolled", "The heads stand one place off when they are merged",
        "Head i fills the features i·d_k to (i + 1)·d_k.",
        LESSON, PART,
        {"merge_heads": lambda m, y: GPT2.merge_heads(m, np.roll(y, 1, axis=1))},
        {"merge_heads": lambda m, y: GPT2.merge_heads(m, np.roll(y, -1, axis=1))},
    ),
    switch(
        "head_rows_of_w_o", "The heads use the wrong rows of w_o",
        "Head i owns rows i·d_k to (i + 1)·d_k of w_o.",
        LESSON, PART,
        {"project": lambda m, b, y: y @ np.tile(b["w_o"][: m.d // m.h], (m.h, 1)) + b["b_o"]},
        {"project": lambda m, b, y: y @ np.tile(b["w_o"][-(m.d // m.h) :], (m.h, 1)) + b["b_o"]},
        {"project": lambda m, b, y: y @ b["w_o"][::-1] + b["b_o"]},
    ),
    switch(
        "heads_overlap", "The heads overlap: their columns are cut with the wrong step",
        "Head i owns columns i·d_k to (i + 1)·d_k.",
        LESSON, PART,
        split_heads=lambda m, x: np.stack(
            [x[..., i : i + m.d // m.h] for i in range(m.h)], axis=1),
    ),
    switch(
        "no_w_o", "The output projection w_o is missing",
        "The merged heads go through w_o and b_o before they are added to x.",
        LESSON, PART,
        {"project": lambda m, block, y: y + block["b_o"]},
        {"project": lambda m, block, y: y},
    ),
    switch(
        "w_o_transposed", "w_o is transposed",
        "Weights are stored (input, output): y @ w_o, not y @ w_o.T. With a square matrix the "
        "transpose runs without an error.",
        LESSON, PART, project=lambda m, block, y: y @ block["w_o"].T + block["b_o"],
    ),
    switch(
        "no_b_o", "The bias b_o is missing",
        "The output projection is y @ w_o + b_o.",
        LESSON, PART, project=lambda m, block, y: y @ block["w_o"],
    ),
    switch(
        "b_o_before_w_o", "b_o is added before the projection",
        "The bias comes after the matrix: y @ w_o + b_o.",
        LESSON, PART, project=lambda m, block, y: (y + block["b_o"]) @ block["w_o"],
    ),
    switch(
        "w_o_twice", "The output projection is applied twice",
        "The merged heads go through w_o once.",
        LESSON, PART,
        {"project": lambda m, b, y: GPT2.project(m, b, GPT2.project(m, b, y))},
        {"project": lambda m, b, y: y @ b["w_o"] @ b["w_o"] + b["b_o"]},
    ),
    switch(
        "heads_cut_unevenly", "One of q, k and v is cut into heads in another way than the others",
        "All three go through the same steps: reshape to (B, T, h, d_k), then swap T and h.",
        LESSON, PART,
        *(_uneven(which, way) for way in ("reshaped", "strided", "reversed")
          for which in ("q", "k", "v", "qk", "qv", "kv")),
    ),
    switch(
        "columns_misread", "The columns of w_qkv are cut in another way than b_qkv",
        "The 3d columns are Q, K, V in turn, and within each head 0 to head h − 1 in turn: "
        "w_qkv[:, i·d_k : (i + 1)·d_k] is the query matrix of head i.",
        LESSON, PART, _columns("strided"), _columns("interleaved"), _columns("by head"),
    ),
    switch(
        "qkv_biases_mixed", "The parts of b_qkv are mixed up",
        "b_qkv holds the biases of Q, then of K, then of V, d each.",
        LESSON, PART,
        *(_bias_order(q, v) for q in (0, 1, 2) for v in (2, 1, 0) if (q, v) != (0, 2)),
    ),
)  # fmt: skip
