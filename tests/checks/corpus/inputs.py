"""Inputs on which the corpus is verified, and the engine's answers to them.

Not the inputs of the checks: these only have to show that a file is right, or wrong, as it claims.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from course_lib import gpt_logits, init_gpt
from course_lib.counting import gpt2
from course_lib.layers import causal_attention, layer_norm
from course_lib.tied import tied_lm_loss_and_grad

REFERENCE = {
    "gpt_logits": gpt_logits,
    "tied_lm_loss_and_grad": tied_lm_loss_and_grad,
    "count_gpt2_params": gpt2.count_gpt2_params,
    "init_gpt": init_gpt,
    "layer_norm": layer_norm,
    "causal_attention": causal_attention,
    "flops_per_token": gpt2.flops_per_token,
    "attention_share": gpt2.attention_share,
    "crossover_context": gpt2.crossover_context,
}


@dataclass
class Case:
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    rtol: float = 1e-9
    loose: bool = False  # any float type will do


def rng_for(*key: int) -> np.random.Generator:
    return np.random.default_rng([20, *key])


# ---------------------------------------------------------------- gpt_logits


def parameters(seed, V, T_max, d, L, weight=1.0):
    rng = rng_for(1, seed)

    def matrix(n, m):
        return rng.standard_normal((n, m)) * weight / np.sqrt(n)

    def vector(n, around=0.0):
        return around + 0.4 * rng.standard_normal(n)

    return {
        "wte": rng.standard_normal((V, d)),
        "wpe": rng.standard_normal((T_max, d)),
        "blocks": [
            {
                "ln1_g": vector(d, 1.0), "ln1_b": vector(d),
                "w_qkv": matrix(d, 3 * d), "b_qkv": vector(3 * d),
                "w_o": matrix(d, d), "b_o": vector(d),
                "ln2_g": vector(d, 1.0), "ln2_b": vector(d),
                "w_fc": matrix(d, 4 * d), "b_fc": vector(4 * d),
                "w_proj": matrix(4 * d, d), "b_proj": vector(d),
            }
            for _ in range(L)
        ],
        "lnf_g": vector(d, 1.0), "lnf_b": vector(d),
    }  # fmt: skip


def ids(seed, V, B, T):
    return rng_for(2, seed).integers(0, V, (B, T))


def gpt_cases():
    #        V  T_max d  L  h  B  T
    sizes = [
        (11, 13, 12, 3, 4, 2, 7),
        (11, 13, 12, 3, 4, 2, 7),  # the same shapes again, other numbers
        (7, 9, 10, 1, 2, 3, 9),  # T = T_max
        (5, 4, 6, 2, 3, 1, 1),
        (5, 24, 6, 2, 2, 2, 20),  # T > 16, V < T_max
        (23, 6, 15, 2, 5, 1, 6),
        (9, 8, 7, 2, 1, 4, 5),
    ]
    cases = [
        Case((parameters(i, V, T_max, d, L), ids(i, V, B, T), h))
        for i, (V, T_max, d, L, h, B, T) in enumerate(sizes)
    ]
    cases.append(Case((parameters(19, 11, 13, 12, 3), ids(1, 11, 2, 7), 4)))  # the ids of case 1
    P = parameters(20, 11, 13, 12, 2)
    flat = P["wte"][:, :1].repeat(12, axis=1)
    cases.append(Case((P | {"wte": flat, "wpe": 0 * P["wpe"]}, ids(20, 11, 2, 7), 4)))  # constant
    for i, size in enumerate((50.0, 3000.0)):  # scores near 1e3, and beyond 1e6
        P = parameters(30 + i, 11, 13, 12, 2)
        for block in P["blocks"]:
            block["w_qkv"][:, :24] *= size
        cases.append(Case((P, ids(30 + i, 11, 2, 9), 4), rtol=1e-7 if i else 1e-9))
    P = parameters(40, 11, 13, 12, 2)
    for block in P["blocks"]:
        block["w_qkv"][:, :24] = 0
        block["b_qkv"][:24] = 0
    cases.append(Case((P, ids(40, 11, 2, 7), 3)))
    cases.append(Case((parameters(50, 11, 13, 12, 2, weight=9.0), ids(50, 11, 2, 7), 3)))
    ends = np.array([[0, 10, 10, 0], [10, 0, 0, 10]])
    cases.append(Case((parameters(60, 11, 13, 12, 2), ends, 4)))
    P32 = _map(parameters(70, 11, 13, 12, 2), lambda a: a.astype(np.float32))
    cases.append(Case((P32, ids(70, 11, 2, 7), 4), rtol=1e-4, loose=True))
    frozen = _map(parameters(80, 11, 13, 12, 2), _frozen)
    cases.append(Case((frozen, _frozen(ids(80, 11, 2, 7)), 4)))
    return cases


def _map(P, change):
    out = {k: change(v) for k, v in P.items() if k != "blocks"}
    return out | {"blocks": [{k: change(v) for k, v in block.items()} for block in P["blocks"]]}


class _FrozenArray(np.ndarray):
    """Read-only and not contiguous, and still so after copy.deepcopy."""

    def __deepcopy__(self, memo):
        return self


def _frozen(a):
    wide = np.repeat(a, 2, axis=-1)[..., ::2]
    wide.flags.writeable = False
    return wide


# ---------------------------------------------------------------- tied_lm_loss_and_grad


def tied_cases():
    cases = []
    for i, (V, d, n) in enumerate([(9, 5, 7), (9, 5, 7), (4, 6, 3), (12, 3, 20), (6, 4, 1)]):
        rng = rng_for(3, i)
        idx, targets = rng.integers(0, V - 1, n), rng.integers(0, V - 1, n)
        cases.append(Case((rng.normal(size=(V, d)), rng.normal(size=(d, d)), idx, targets)))
    rng = rng_for(3, 20)
    E, A = rng.normal(size=(8, 5)), rng.normal(size=(5, 5))
    cases.append(Case((E, A, np.array([3, 3, 3, 1, 7]), np.array([3, 0, 7, 7, 3]))))
    cases.append(Case((300 * E, A / 300, np.array([2, 2, 5]), np.array([4, 4, 0]))))
    cases.append(Case((3000 * E, A, np.array([0, 1, 2, 3]), np.array([0, 7, 2, 2]))))
    cases.append(Case((E, A, np.arange(8), np.arange(8))))
    cases.append(Case((np.linspace(-3, 3, 4)[:, None], np.array([[0.7]]),
                       np.array([0, 2, 2]), np.array([1, 1, 3]))))  # fmt: skip
    frozen = [_frozen(a) for a in (E, A, np.array([3, 3, 0, 1]), np.array([2, 0, 7, 7]))]
    cases.append(Case(tuple(frozen)))
    return cases


# ---------------------------------------------------------------- counting


def count_cases():
    sizes = [
        (50257, 1024, 768, 12),
        (56, 64, 64, 2),
        (7, 5, 3, 1),
        (11, 2048, 10, 3),
        (50257, 2048, 12288, 96),
        (1, 1, 1, 1),
    ]
    cases = [Case(size) for size in sizes]
    for tied in (True, False):
        for bias in (True, False):
            cases += [Case(size, {"tied": tied, "bias": bias}) for size in sizes]
    return cases


def flops_cases(train):
    sizes = [(50257, 1024, 768, 12), (56, 64, 64, 2), (7, 5, 3, 1), (11, 131072, 10, 3)]
    cases = [Case(size) for size in sizes]
    if train:
        cases += [Case(size, {"train": value}) for size in sizes for value in (False, True)]
    return cases


# ---------------------------------------------------------------- init_gpt


def init_faults(got, want):
    """What is wrong with drawn parameters: names, shapes, types, ones, zeros, spread, sharing."""
    try:
        mine, theirs = _named_tensors(got), _named_tensors(want)
    except (AttributeError, KeyError, TypeError):
        return ["not a parameter dict"]
    if mine.keys() != theirs.keys():
        return ["names"]
    L = len(want["blocks"])
    found = [_tensor_fault(name, mine[name], theirs[name], L) for name in theirs]
    tensors = list(mine.values())
    found += ["shared or repeated" for i, a in enumerate(tensors) if _stands_in(a, tensors[:i])]
    return [fault for fault in found if fault]


def _named_tensors(P):
    named = {name: value for name, value in P.items() if name != "blocks"}
    for i, block in enumerate(P["blocks"]):
        named |= {f"{i}.{name}": value for name, value in block.items()}
    return named


def _tensor_fault(name, mine, theirs, L):
    if not isinstance(mine, np.ndarray) or mine.shape != theirs.shape or mine.dtype != np.float64:
        return f"{name}: shape or dtype"
    if mine.ndim == 1:
        return "" if np.array_equal(mine, theirs) else f"{name}: not the right constant"
    residual = name.split(".")[-1] in ("w_o", "w_proj")
    z = mine / (0.02 / np.sqrt(2 * L) if residual else 0.02)
    n = mine.size  # below: six standard errors of the std, the mean and the share within one std
    if abs(z.std() - 1) > 6 / np.sqrt(2 * n) or abs(z.mean()) > 6 / np.sqrt(n):
        return f"{name}: spread"
    if abs((np.abs(z) < 1).mean() - 0.6827) > 6 * 0.47 / np.sqrt(n):
        return f"{name}: not normal"
    return ""


def _stands_in(a, others):
    """Whether an array shares memory with another, or repeats its random numbers."""
    return any(
        np.shares_memory(a, b) or (np.ndim(a) == 2 and a.shape == b.shape and np.allclose(a, b))
        for b in others
    )


def init_seed_faults(function):
    """Whether a seed fails to fix the draw, or two seeds fail to change it."""
    size = (17, 9, 8, 2)
    np.random.seed(1)  # noqa: NPY002
    a = function(*size, 3)["wte"]
    np.random.seed(2)  # noqa: NPY002
    b = function(*size, 3)["wte"]
    c = function(*size, 4)["wte"]
    return not np.array_equal(a, b) or np.array_equal(a, c)


# ---------------------------------------------------------------- warm-ups


def layer_norm_cases():
    cases = []
    for i, shape in enumerate([(6,), (3, 7), (2, 5, 9), (2, 3, 4, 5), (5, 5), (4, 4, 4)]):
        rng = rng_for(4, i)
        x = 2 + 3 * rng.normal(size=shape)
        cases.append(Case((x, rng.normal(size=shape[-1]), rng.normal(size=shape[-1]))))
    g, b = rng_for(4, 9).normal(size=(2, 6))
    cases.append(Case((np.full((2, 6), 3.0), g, b)))
    cases.append(Case((1e-4 * rng_for(4, 10).normal(size=(3, 6)), g, b)))
    cases.append(Case((1e3 + rng_for(4, 11).normal(size=(3, 6)), g, b)))
    cases.append(Case((_frozen(rng_for(4, 12).normal(size=(3, 6))), _frozen(g), _frozen(b))))
    return cases


def attention_cases():
    cases = []
    for i, shape in enumerate([(5, 3), (2, 6, 5), (2, 3, 7, 6), (1, 1, 1, 3), (20, 2), (2, 4, 4)]):
        rng = rng_for(5, i)
        cases.append(Case(tuple(rng.normal(size=(3, *shape)))))
    for i, size in enumerate((30.0, 3000.0)):
        Q, K, V = rng_for(5, 20 + i).normal(size=(3, 2, 8, 5))
        cases.append(Case((size * Q, size * K, V), rtol=1e-7))
    Q, K, V = rng_for(5, 30).normal(size=(3, 6, 5))
    cases.append(Case((0 * Q, K, V)))
    cases.append(Case((_frozen(Q), _frozen(K), _frozen(V))))
    return cases


CASES = {
    "gpt_logits": gpt_cases(),
    "tied_lm_loss_and_grad": tied_cases(),
    "count_gpt2_params": count_cases(),
    "init_gpt": [Case((61, 40, 24, 3, 0)), Case((50, 33, 30, 1, 5)), Case((40, 50, 20, 4, 11))],
    "layer_norm": layer_norm_cases(),
    "causal_attention": attention_cases(),
    "flops_per_token": flops_cases(train=True),
    "attention_share": flops_cases(train=False),
    "crossover_context": [Case((d,)) for d in (1, 64, 768, 12288)],
}

# Calls of growing size: the lines that a submission executes must stay the same.
GROWING = {
    "gpt_logits": [
        (parameters(90, 9, 18, 12, 2), ids(90, 9, B, T), h)
        for B, T, h in [(2, 3, 2), (2, 18, 2), (2, 3, 6), (7, 3, 2)]
    ],
    "causal_attention": [
        tuple(rng_for(6, i).normal(size=(3, *shape)))
        for i, shape in enumerate([(2, 3, 4), (2, 11, 4), (9, 3, 4)])
    ],
    "layer_norm": [
        (rng_for(7, i).normal(size=shape), np.ones(shape[-1]), np.zeros(shape[-1]))
        for i, shape in enumerate([(2, 3, 4), (2, 11, 4), (9, 3, 4), (2, 3, 12)])
    ],
}
