"""The third corpus is what it says: right files agree with the engine, wrong ones do not."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from course_lib import gpt_logits, init_gpt
from course_lib.counting import gpt2
from course_lib.layers import causal_attention, layer_norm
from course_lib.tied import tied_lm_loss_and_grad
from tests.checks.corpus.headers import read_header

FOLDER = Path(__file__).parent
SIZES = [(50257, 1024, 768, 12), (56, 64, 64, 2), (7, 5, 3, 1), (50257, 2048, 12288, 96)]
VALUES = "values"


def growth_when_doubled(V, d, L):
    def total(d, L):
        return 12 * L * d * d + 2 * V * d

    return total(2 * d, L) / total(d, L), total(d, 2 * L) / total(d, L)


REFERENCE: dict[str, Callable[..., Any]] = {
    "gpt_logits": gpt_logits,
    "tied_lm_loss_and_grad": tied_lm_loss_and_grad,
    "layer_norm": layer_norm,
    "causal_attention": causal_attention,
    "count_gpt2_params": gpt2.count_gpt2_params,
    "flops_per_token": gpt2.flops_per_token,
    "attention_share": gpt2.attention_share,
    "crossover_context": lambda d: 4 * d,
    "crossover_depth": lambda V, d: V / (12 * d),
    "tying_fraction": lambda V, d, L: V / (12 * L * d + 2 * V),
    "growth_when_doubled": growth_when_doubled,
    "context_for_attention_share": gpt2.context_for_attention_share,
    "rows_that_change": lambda T, t, masked=True: np.arange(T) >= (t if masked else 0),
}


def random_gpt(rng, V, T_max, d, L):
    """Draw parameters of which none is 0, and no gain 1."""
    P = init_gpt(V, T_max, d, L)

    def draw(a):
        a = np.asarray(a)
        return rng.normal(size=a.shape) * (0.7 if a.ndim == 1 else 1.5 / np.sqrt(a.shape[0]))

    def gains(tensors):
        return {k: draw(a) + k.endswith("_g") for k, a in tensors.items() if k != "blocks"}

    P = gains(P) | {"blocks": [gains(block) for block in P["blocks"]]}
    return P | {"wte": rng.normal(size=(V, d)), "wpe": rng.normal(size=(T_max, d))}


def gpt_cases(rng):
    for V, T_max, d, L, h, B, T in [(13, 11, 12, 3, 4, 2, 7), (9, 6, 10, 2, 2, 3, 6),
                                    (6, 9, 15, 1, 5, 1, 1), (13, 11, 12, 3, 4, 3, 9)]:  # fmt: skip
        yield random_gpt(rng, V, T_max, d, L), rng.integers(0, V, (B, T)), h
    P = random_gpt(rng, 13, 11, 12, 2)
    for block in P["blocks"]:
        block["w_qkv"][:, :24] *= 300  # scores far beyond 1e4
    yield P, rng.integers(0, 13, (2, 9)), 3


def tied_cases(rng):
    for V, d, n in [(9, 5, 7), (5, 4, 12), (8, 3, 1)]:
        idx, targets = rng.integers(0, V - 1, n), rng.integers(0, V, n)
        yield rng.normal(size=(V, d)), rng.normal(size=(d, d)), idx, targets
    yield 900 * rng.normal(size=(9, 5)), rng.normal(size=(5, 5)), np.array([1, 1, 4]), np.arange(3)


def warm_ups(exercise, rng):
    if exercise == "layer_norm":
        for shape in [(2, 3, 5), (4, 6), (3, 3)]:
            yield 0.02 * rng.normal(size=shape) + 1, *rng.normal(size=(2, shape[-1]))
    else:
        for shape, size in [((2, 3, 6, 5), 1), ((6, 4), 1), ((2, 4, 4), 1), ((2, 5, 4), 300)]:
            Q, K, V = rng.normal(size=(3, *shape))
            yield size * Q, size * K, V


def cases(exercise: str) -> Iterator[tuple[Any, ...]]:
    rng = np.random.default_rng([3, len(exercise)])
    flags = [(a, b) for a in (True, False) for b in (True, False)]
    if exercise == "gpt_logits":
        yield from gpt_cases(rng)
    elif exercise == "tied_lm_loss_and_grad":
        yield from tied_cases(rng)
    elif exercise in ("layer_norm", "causal_attention"):
        yield from warm_ups(exercise, rng)
    elif exercise == "count_gpt2_params":
        yield from ((*size, *flag) for size in SIZES for flag in flags)
    elif exercise == "flops_per_token":
        yield from ((*size, train) for size in SIZES for train in (False, True))
    elif exercise == "rows_that_change":
        yield from ((T, t, m) for T, t in [(1, 0), (5, 2), (8, 7)] for m in (True, False))
    elif exercise == "context_for_attention_share":
        yield from ((V, d, L, s) for V, _, d, L in SIZES for s in (0.2, 0.55, 0.9))
    else:
        given = dict(zip("VTdL", zip(*SIZES, strict=True), strict=True))
        names = inspect.signature(REFERENCE[exercise]).parameters
        yield from zip(*(given[name] for name in names), strict=True)


def load(exercise: str, path: Path) -> Callable[..., Any]:
    scope: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
    return scope[exercise]


def agrees(got: Any, want: Any) -> bool:
    if isinstance(want, tuple):
        return isinstance(got, tuple) and all(map(agrees, got, want))
    got, want = np.asarray(got), np.asarray(want)
    return got.shape == want.shape and np.allclose(got, want, rtol=1e-9, atol=1e-9)


def answer(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    except (ValueError, IndexError) as error:
        return repr(error)


def faults(exercise: str, path: Path) -> set[str]:
    """Return where a file differs: in "values", "mutation", "state" or "type"."""
    if exercise == "init_gpt":
        return draw_faults(load(exercise, path))
    found, kept = set(), load(exercise, path)
    for args in cases(exercise):
        want, mine = REFERENCE[exercise](*args), copy.deepcopy(args)
        got = answer(load(exercise, path), mine)
        if not agrees(got, want):
            found.add(VALUES)
        elif isinstance(want, int) and not isinstance(got, int):
            found.add("type")
        if not all(np.array_equal(a, b) for a, b in zip(leaves(mine), leaves(args), strict=True)):
            found.add("mutation")
        if not agrees(answer(kept, copy.deepcopy(args)), want):
            found.add("state")
    return found


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        tree = [tree[name] for name in sorted(tree)]
    return [a for t in tree for a in leaves(t)] if isinstance(tree, list | tuple) else [tree]


def draw_faults(init: Callable[..., Any]) -> set[str]:
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the state that must not move
    P, again, other = init(400, 50, 60, 3, 5), init(400, 50, 60, 3, 5), init(400, 50, 60, 3, 6)
    after = np.random.get_state()[1]  # noqa: NPY002 - the state that must not move
    found = set()
    if not np.array_equal(before, after) or not np.array_equal(P["wte"], again["wte"]):
        found.add("state")
    if np.array_equal(P["wte"], other["wte"]):
        found.add("state")
    want = init_gpt(400, 50, 60, 3)
    same = [np.isclose(a.std(), b.std(), rtol=0.1) and np.isclose(a.mean(), b.mean(), atol=0.01)
            for a, b in zip(leaves(P), leaves(want), strict=True)]  # fmt: skip
    if not all(same) or P["blocks"][0] is P["blocks"][1]:
        found.add(VALUES)
    return found


def files(kind: str) -> list[Any]:
    return [
        pytest.param(path.parts[-3], path, id=f"{path.parts[-3]}-{path.stem}")
        for path in sorted(FOLDER.glob(f"*/{kind}/*.py"))
    ]


@pytest.mark.parametrize(("exercise", "path"), files("right"))
def test_right_file_agrees_with_the_engine(exercise: str, path: Path) -> None:
    assert faults(exercise, path) == set()


@pytest.mark.parametrize(("exercise", "path"), files("wrong"))
def test_wrong_file_differs_where_it_says(exercise: str, path: Path) -> None:
    shows = read_header(path).shows
    if shows == "loop":
        assert faults(exercise, path) == set()
    else:
        assert shows in faults(exercise, path)
