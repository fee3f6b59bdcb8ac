"""The inputs on which `gpt_logits` is tried, drawn from a seed.

At GPT-2's own initialisation many mistakes cost exactly nothing (zero biases, unit gains), so the
gains and biases here are random and the weights large; B, h, T, d_k, V and d all differ. Some
cases silence all parts but one: a block whose output projections and their biases are zero is
the identity, and zero query weights turn attention into a mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.checks.exercise import Case, LoopProbe
from course_lib.gpt_parameters import parameter_shapes

Params = dict[str, Any]


def random_parameters(
    rng: np.random.Generator, V: int, T_max: int, d: int, L: int, table: float = 1.0
) -> Params:
    """Draw parameters in which every mistake shows; `table` scales the two tables."""

    def draw(name: str, shape: tuple[int, ...]) -> Any:
        z = rng.standard_normal(shape)
        if name.endswith("_g"):
            return 1 + 0.4 * z
        if name.startswith("b_") or name.endswith("_b"):
            return 0.5 * z
        if name in ("wte", "wpe"):
            return table * z * (1.0 if name == "wte" else 0.7)
        return 1.3 * z / np.sqrt(shape[0])

    model, block = parameter_shapes(V, T_max, d)
    P: Params = {name: draw(name, shape) for name, shape in model.items()}
    P["blocks"] = [{name: draw(name, shape) for name, shape in block.items()} for _ in range(L)]
    return P


def silence(P: Params, *names: str) -> Params:
    """Return P with the named tensors of every block set to zero."""
    blocks = [
        {k: np.zeros_like(v) if k in names else v for k, v in block.items()}
        for block in P["blocks"]
    ]
    return {**P, "blocks": blocks}


def without_queries_and_keys(P: Params) -> Params:
    """Return P with the query and key columns of w_qkv and b_qkv zero: attention is a mean."""
    d = P["wte"].shape[1]
    blocks = []
    for block in P["blocks"]:
        w, b = block["w_qkv"].copy(), block["b_qkv"].copy()
        w[:, : 2 * d] = 0
        b[: 2 * d] = 0
        blocks.append({**block, "w_qkv": w, "b_qkv": b})
    return {**P, "blocks": blocks}


def louder_queries_and_keys(P: Params, factor: float) -> Params:
    """Return P with query and key columns times `factor`, so that scores grow by its square."""
    d = P["wte"].shape[1]
    stretch = np.concatenate([np.full(2 * d, factor), np.ones(d)])
    blocks = [
        {**b, "w_qkv": b["w_qkv"] * stretch, "b_qkv": b["b_qkv"] * stretch} for b in P["blocks"]
    ]
    return {**P, "blocks": blocks}


def even_scores(P: Params, score: float) -> Params:
    """Return P with zero query and key weights and biases that make all scores the same."""
    d = P["wte"].shape[1]
    blocks = []
    for block in without_queries_and_keys(P)["blocks"]:
        b = block["b_qkv"].copy()
        b[: 2 * d] = np.sqrt(score) / d**0.25  # q·k/√d_k is `score` for one head
        blocks.append({**block, "b_qkv": b})
    return {**P, "blocks": blocks}


def louder_mlp(P: Params, factor: float) -> Params:
    """Return P with w_fc times `factor`, so that exp overflows where tanh does not."""
    return {**P, "blocks": [{**b, "w_fc": b["w_fc"] * factor} for b in P["blocks"]]}


def as_type(P: Params, dtype: Any) -> Params:
    """Return P with every tensor in another dtype."""
    blocks = [{k: v.astype(dtype) for k, v in block.items()} for block in P["blocks"]]
    return {**{k: v.astype(dtype) for k, v in P.items() if k != "blocks"}, "blocks": blocks}


def frozen_and_strided(P: Params) -> Params:
    """Return P in read-only arrays, the matrices in column order."""

    def freeze(v: NDArray[Any]) -> NDArray[Any]:
        v = np.asfortranarray(v)
        v.flags.writeable = False
        return v

    blocks = [{k: freeze(v) for k, v in block.items()} for block in P["blocks"]]
    return {**{k: freeze(v) for k, v in P.items() if k != "blocks"}, "blocks": blocks}


def ids(rng: np.random.Generator, V: int, B: int, T: int) -> NDArray[Any]:
    """Draw ids that hold the first and the last token, and one token twice in a row if T > 1."""
    out = rng.integers(0, V, (B, T))
    if T > 3:
        out[:, 1] = out[:, 2]
    out.flat[0], out.flat[-1] = V - 1, 0
    return out


def make_cases(seed: int) -> list[Case]:
    """Draw every case, the simplest first: the first one to fail tells which box is wrong."""
    rng = np.random.default_rng([seed, 6202])

    def sizes(P: Params, i: NDArray[Any], h: int) -> str:
        (V, d), T_max = P["wte"].shape, len(P["wpe"])
        B, T = i.shape
        return (
            f"B = {B}, T = {T}, T_max = {T_max}, V = {V}, d = {d}, h = {h}, L = {len(P['blocks'])}"
        )

    def case(name: str, P: Params, i: NDArray[Any], h: int, why: str, box: str, **kw: Any) -> Case:
        return Case(name, ((P, i, h),), why, secret=sizes(P, i, h), box=box, **kw)

    model = random_parameters(rng, V=29, T_max=11, d=15, L=2)
    one = random_parameters(rng, V=17, T_max=9, d=12, L=1)
    quiet = random_parameters(rng, V=19, T_max=8, d=10, L=1, table=2e-4)
    level = random_parameters(rng, V=14, T_max=9, d=10, L=1)
    level["wte"][3] = 0.0
    level["wte"][5] = -0.75
    level["wpe"][:4] = np.array([0.0, 0.875, -0.375, 0.25])[:, None]
    both = ("w_o", "b_o", "w_proj", "b_proj")
    mixed = without_queries_and_keys(silence(one, "w_proj", "b_proj"))
    i57, i29 = ids(rng, 17, 3, 5), ids(rng, 29, 2, 7)

    cases = [
        case("embed_head", silence(one, *both), i57, 4,
             "one block whose output projections are zero, so that it passes x on unchanged",
             "the embedding, the final layer norm or the head",
             probe=(({**one, "blocks": []}, i57, 4),
                    "the residuals: such a block must pass x on unchanged")),
        case("quiet", silence(quiet, *both), ids(rng, 19, 2, 6), 5,
             "tiny embeddings, so that ε decides, through blocks that pass x on unchanged",
             "the ε of the layer norm"),
        case("mlp", silence(one, "w_o", "b_o"), i57, 4,
             "one block whose attention adds nothing (w_o = 0 and b_o = 0)",
             "the MLP, its layer norm or its residual"),
        case("mean", mixed, i57, 4,
             "one block with zero query and key weights, so that attention is a plain mean",
             "the values, the softmax, the merging of heads, w_o, the first layer norm or the "
             "first residual",
             boxes=(("single", "the mask, the softmax or the merging of heads"),)),
        case("one_head", silence(one, "w_proj", "b_proj"), i57, 1,
             "one block with a single head and an MLP that adds nothing",
             "queries and keys, their scale, the mask or the softmax"),
        case("attention", silence(one, "w_proj", "b_proj"), i57, 4,
             "one block with several heads and an MLP that adds nothing",
             "the split into heads or the merging of heads"),
        case("one_block", one, i57, 4, "one whole block", "the way the block is put together"),
        case("base", model, i29, 3, "a small model of two blocks",
             "the way the blocks follow one another"),
        case("deep", random_parameters(rng, 23, 9, 14, 3), ids(rng, 23, 2, 9), 2,
             "three blocks with T = T_max", "the way the blocks follow one another, or T = T_max"),
        case("single", one, ids(rng, 17, 1, 1), 3, "one sequence of one token (B = 1, T = 1)",
             "what happens when B = 1 and T = 1"),
        case("long", random_parameters(rng, 13, 23, 14, 1), ids(rng, 13, 3, 19), 7,
             "a sequence longer than the vocabulary", "a size that is fixed in your code"),
        case("level", level, np.array([[3, 3, 5, 3, 1, 6, 13], [5, 5, 3, 0, 5, 2, 1]]), 2,
             "rows of x in which all features are equal", "the layer norm of constant rows"),
        case("loud", louder_queries_and_keys(one, 22.0), i57, 4,
             "attention scores near a thousand", "the softmax: it overflows"),
        case("louder", louder_queries_and_keys(one, 600.0), i57, 4,
             "attention scores of several hundred thousand",
             "the softmax or the mask: something from the future gets through"),
        case("even", even_scores(one, 900.0), i57, 1,
             "attention scores that are all the same, and near a thousand",
             "the softmax: it overflows"),
        case("loud_mlp", louder_mlp(one, 40.0), i57, 4, "MLP inputs in the tens and hundreds",
             "the GELU: it overflows"),
        case("frozen", frozen_and_strided(model), i29, 5,
             "read-only parameters, matrices stored by column", "arrays stored by column"),
        case("float32", as_type(model, np.float32), i29, 3, "float32 parameters",
             "the handling of float32", tolerance=2e-4),
    ]  # fmt: skip
    calls = [(model, ids(rng, 29, B, T), h) for B, T, h in ((2, 6, 5), (3, 4, 3), (1, 11, 3))]
    row = Case("calls", (*calls, calls[0]), "several calls in a row, of different lengths, the "
               "first and the last the same", box="something kept between calls")  # fmt: skip
    return [row, *cases]


def loop_probes(seed: int) -> list[LoopProbe]:
    """Pair inputs that differ in T, in h or in B only."""
    rng = np.random.default_rng([seed, 6203])
    P = random_parameters(rng, V=13, T_max=44, d=48, L=1)
    small = rng.integers(0, 13, (2, 4))
    return [
        LoopProbe("positions", (P, small, 2), (P, rng.integers(0, 13, (2, 40)), 2), 36),
        LoopProbe("heads", (P, small, 2), (P, small, 24), 22),
        LoopProbe("batch", (P, small, 2), (P, rng.integers(0, 13, (30, 4)), 2), 28),
    ]
